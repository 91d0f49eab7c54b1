import { col, DataTypes, fn, type Model, Op } from 'sequelize';
import { fromRawInstantOrNull, idType, instant, jsonColumn, type RawInstant } from '../../../adapters/store/columns.ts';
import type { Store } from '../../../adapters/store/store.ts';
import type { ErrorCode } from '../../../lib/errors.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import {
  isUnfinished,
  type OperationJournal,
  type OperationRecord,
  recordFromJson,
} from '../../../lib/operations/operation.ts';
import { slugLength } from '../../../lib/slug.ts';
import {
  type BulkOperation,
  type BulkResult,
  bulkOperationOf,
  countResults,
  type ResultCounts,
} from './bulk-operation.ts';

interface OperationRow {
  id: string;
  unfinished: boolean;
  record: OperationRecord;
  cancelRequestedAt: Date | null;
  createdAt: Date;
}

interface ResultRow extends Omit<BulkResult, 'error'> {
  bulkId: string;
  position: number;
  errorCode: ErrorCode | null;
  errorDetail: string | null;
}
type RawResult = Omit<ResultRow, 'startedAt' | 'finishedAt'> & Record<'startedAt' | 'finishedAt', RawInstant | null>;

const resultColumns = `tenant_id AS tenantId, slug, name, status, error_code AS errorCode,
  error_detail AS errorDetail, started_at AS startedAt, finished_at AS finishedAt`;
/** Rows written in one statement. */
const batchSize = 500;

export type BulkStore = ReturnType<typeof createBulkStore>;

/** Bulk operations and their results in the store. */
export function createBulkStore({ sequelize, select, transaction }: Store) {
  const Operations = sequelize.define<Model<OperationRow, Partial<OperationRow>>>(
    'BulkOperation',
    {
      id: { type: idType, primaryKey: true },
      unfinished: DataTypes.BOOLEAN,
      record: jsonColumn('record'),
      cancelRequestedAt: instant,
      createdAt: instant,
    },
    { tableName: 'bulk_operations' },
  );
  const Results = sequelize.define<Model<ResultRow, ResultRow>>(
    'BulkResult',
    {
      bulkId: { type: idType, primaryKey: true },
      position: { type: DataTypes.INTEGER, primaryKey: true },
      tenantId: idType,
      slug: DataTypes.STRING(slugLength.max),
      name: DataTypes.STRING,
      status: DataTypes.STRING(20),
      errorCode: DataTypes.STRING(40),
      errorDetail: DataTypes.TEXT,
      startedAt: instant,
      finishedAt: instant,
    },
    { tableName: 'bulk_results' },
  );

  const journal: OperationJournal = {
    async insert(record) {
      const { tenants } = record.input as { tenants: Pick<BulkResult, 'tenantId' | 'slug' | 'name'>[] };
      const rows = tenants.map((tenant, position) => ({
        ...tenant,
        bulkId: record.id,
        position,
        status: 'pending' as const,
        errorCode: null,
        errorDetail: null,
        startedAt: null,
        finishedAt: null,
      }));
      // Results have their own rows, because the record is rewritten after each result.
      record.input = { ...(record.input as object), tenants: undefined };
      await transaction(async (within) => {
        const { id, createdAt } = record;
        await Operations.create({ id, unfinished: true, record, createdAt }, { transaction: within });
        for (let start = 0; start < rows.length; start += batchSize)
          await Results.bulkCreate(rows.slice(start, start + batchSize), { transaction: within });
      });
    },
    async save(record) {
      await Operations.update({ unfinished: isUnfinished(record), record }, { where: { id: record.id } });
    },
    async requestCancel(id, at) {
      await Operations.update({ cancelRequestedAt: at }, { where: { id } });
    },
    async unfinished() {
      const rows = await Operations.findAll({ where: { unfinished: true }, order: [['createdAt', 'ASC']] });
      return rows.map(recordOf);
    },
  };

  return {
    journal,

    async find(id: string): Promise<BulkOperation | undefined> {
      const row = await Operations.findByPk(id);
      return row ? bulkOperationOf(recordOf(row)) : undefined;
    },

    /** Newest first. */
    async list({ limit, offset }: Paging): Promise<Page<BulkOperation>> {
      const { rows, count } = await Operations.findAndCountAll({
        order: [
          ['createdAt', 'DESC'],
          ['id', 'DESC'],
        ],
        limit,
        offset,
      });
      return { items: rows.map((row) => bulkOperationOf(recordOf(row))), total: count };
    },

    /** In processing order. */
    async results(bulkId: string): Promise<BulkResult[]> {
      const rows = await select<RawResult>(
        `SELECT ${resultColumns} FROM bulk_results WHERE bulk_id = :bulkId ORDER BY position`,
        { bulkId },
      );
      return rows.map(({ errorCode, errorDetail, startedAt, finishedAt, ...row }) => ({
        ...row,
        error: errorCode === null ? null : { code: errorCode, detail: errorDetail ?? '' },
        startedAt: fromRawInstantOrNull(startedAt),
        finishedAt: fromRawInstantOrNull(finishedAt),
      }));
    },

    async counts(bulkIds: readonly string[]): Promise<Map<string, ResultCounts>> {
      const found = new Map<string, ResultCounts>(bulkIds.map((id) => [id, countResults([])]));
      if (bulkIds.length === 0) return found;
      const rows = await Results.findAll({
        where: { bulkId: [...bulkIds] },
        attributes: ['bulkId', 'status', [fn('count', col('position')), 'count']],
        group: ['bulk_id', 'status'],
      });
      for (const row of rows) {
        const counts = found.get(row.get('bulkId') as string);
        if (counts) counts[row.get('status') as keyof ResultCounts] = Number((row as Model).get('count'));
      }
      return found;
    },

    async saveResult(bulkId: string, { tenantId, error, ...result }: BulkResult): Promise<void> {
      await Results.update(
        { ...result, errorCode: error?.code ?? null, errorDetail: error?.detail ?? null },
        { where: { bulkId, tenantId } },
      );
    },

    /** Finishes the results with the status `from`. */
    async endResults(
      bulkId: string,
      from: 'pending' | 'running',
      end: Pick<BulkResult, 'status' | 'error' | 'finishedAt'>,
    ): Promise<void> {
      const { status, error, finishedAt } = end;
      await Results.update(
        { status, finishedAt, errorCode: error?.code ?? null, errorDetail: error?.detail ?? null },
        { where: { bulkId, status: from } },
      );
    },

    /** The ids among these that belong to bulk operations. */
    async recorded(ids: readonly string[]): Promise<ReadonlySet<string>> {
      const rows = await Operations.findAll({ where: { id: [...ids] }, attributes: ['id'] });
      return new Set(rows.map((row) => row.get('id') as string));
    },

    async removeEndedBefore(date: Date): Promise<void> {
      await Operations.destroy({ where: { unfinished: false, createdAt: { [Op.lt]: date } } });
    },
  };
}

function recordOf(row: Model<OperationRow, Partial<OperationRow>>): OperationRecord {
  const { record, cancelRequestedAt } = row.get() as OperationRow;
  return { ...recordFromJson(record), cancelRequestedAt };
}
