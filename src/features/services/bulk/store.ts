import { Op } from 'sequelize';
import type { Store } from '../../../adapters/store/store.ts';
import {
  defineTable,
  flag,
  id,
  instant,
  integer,
  json,
  key,
  orNull,
  ownedBy,
  type RowOf,
  tableIn,
  text,
} from '../../../adapters/store/table.ts';
import type { ErrorCode } from '../../../lib/errors.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import {
  isUnfinished,
  type OperationJournal,
  type OperationRecord,
  recordFromJson,
} from '../../../lib/operations/operation.ts';
import { slugLength } from '../../../lib/text/slug.ts';
import {
  type BulkOperation,
  type BulkResult,
  bulkOperationOf,
  countResults,
  type ResultCounts,
  type ResultStatus,
} from './bulk-operation.ts';

const operationColumns = {
  id: key(id),
  unfinished: flag,
  record: json<OperationRecord>(),
  cancelRequestedAt: orNull(instant),
  createdAt: instant,
};
export const bulkOperationsTable = defineTable('bulk_operations', operationColumns, {
  indexes: [
    ['createdAt', 'id'],
    ['unfinished', 'createdAt'],
  ],
});
const resultColumns = {
  bulkId: key(ownedBy('bulk_operations')),
  /** The order in which they are processed. */
  position: key(integer),
  tenantId: id,
  slug: text(slugLength.max),
  name: text(255),
  status: text<ResultStatus>(20),
  errorCode: orNull(text<ErrorCode>(40)),
  errorDetail: orNull(text()),
  startedAt: orNull(instant),
  finishedAt: orNull(instant),
};
export const bulkResultsTable = defineTable('bulk_results', resultColumns, { unique: [['bulkId', 'tenantId']] });

export type BulkStore = ReturnType<typeof createBulkStore>;

/** Bulk operations and their results in the store. */
export function createBulkStore(store: Store) {
  const operations = tableIn(store, bulkOperationsTable);
  const results = tableIn(store, bulkResultsTable);

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
      await store.transaction(async (transaction) => {
        const { id, createdAt } = record;
        await operations.insert({ id, unfinished: true, record, createdAt }, transaction);
        await results.insertAll(rows, transaction);
      });
    },
    async save(record) {
      await operations.update({ unfinished: isUnfinished(record), record }, { id: record.id });
    },
    async requestCancel(id, at) {
      await operations.update({ cancelRequestedAt: at }, { id });
    },
    unfinished: async () =>
      (await operations.all({ where: { unfinished: true }, order: [['createdAt', 'ASC']] })).map(recordOf),
  };

  return {
    journal,

    async find(id: string): Promise<BulkOperation | undefined> {
      const row = await operations.find({ id });
      return row && bulkOperationOf(recordOf(row));
    },

    /** Newest first. */
    async list(paging: Paging): Promise<Page<BulkOperation>> {
      const { items, total } = await operations.page({}, paging);
      return { items: items.map((row) => bulkOperationOf(recordOf(row))), total };
    },

    /** In processing order. */
    async results(bulkId: string): Promise<BulkResult[]> {
      const rows = await results.all({ where: { bulkId }, order: [['position', 'ASC']] });
      return rows.map(({ bulkId: _bulk, position: _position, errorCode, errorDetail, ...row }) => ({
        ...row,
        error: errorCode === null ? null : { code: errorCode, detail: errorDetail ?? '' },
      }));
    },

    async counts(bulkIds: readonly string[]): Promise<Map<string, ResultCounts>> {
      const found = new Map<string, ResultCounts>(bulkIds.map((id) => [id, countResults([])]));
      if (bulkIds.length === 0) return found;
      for (const { bulkId, status, count } of await results.countBy(['bulkId', 'status'], { bulkId: [...bulkIds] })) {
        const counts = found.get(bulkId);
        if (counts) counts[status] = count;
      }
      return found;
    },

    async saveResult(bulkId: string, { tenantId, error, ...result }: BulkResult): Promise<void> {
      await results.update({ ...result, ...errorColumns(error) }, { bulkId, tenantId });
    },

    /** Finishes the results with the status `from`. */
    async endResults(
      bulkId: string,
      from: 'pending' | 'running',
      { status, error, finishedAt }: Pick<BulkResult, 'status' | 'error' | 'finishedAt'>,
    ): Promise<void> {
      await results.update({ status, finishedAt, ...errorColumns(error) }, { bulkId, status: from });
    },

    /** The ids among these that belong to bulk operations. */
    recorded: async (ids: readonly string[]): Promise<ReadonlySet<string>> =>
      new Set((await operations.all({ where: { id: [...ids] }, only: ['id'] })).map(({ id }) => id)),

    async removeEndedBefore(date: Date): Promise<void> {
      await operations.remove({ unfinished: false, createdAt: { [Op.lt]: date } });
    },
  };
}

const errorColumns = (error: BulkResult['error']) => ({
  errorCode: error?.code ?? null,
  errorDetail: error?.detail ?? null,
});

const recordOf = ({ record, cancelRequestedAt }: RowOf<typeof operationColumns>): OperationRecord => ({
  ...recordFromJson(record),
  cancelRequestedAt,
});
