import { DataTypes, type Model, Op } from 'sequelize';
import { idType, instant, jsonColumn } from '../../adapters/store/columns.ts';
import { refuseOrphan } from '../../adapters/store/conflicts.ts';
import type { Store } from '../../adapters/store/store.ts';
import { notFound } from '../../lib/errors.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import type { OperationJournal, OperationRecord, OperationStatus } from '../../lib/operations/operation.ts';
import { deploymentState } from './operation.ts';

type Written = ReturnType<typeof toRow>;
interface Columns extends Written {
  cancel_requested_at: Date | null;
}
interface DeploymentRow extends Model<Columns, Written> {}
interface DeploymentRow extends Readonly<Columns> {}

/** Deployments in the store; the operation engine's journal is this table. */
export interface DeploymentStore {
  journal: OperationJournal;
  find(id: string): Promise<OperationRecord | undefined>;
  list(tenantId: string, paging: Paging): Promise<Page<OperationRecord>>;
  /**
   * The keys of the releases that unfinished deployments use, and of the last deployed ones.
   * @param last how many different ones per tenant
   */
  releasesInUse(last: number): Promise<string[]>;
  /** The newest successful ones, at most `limit`; of one tenant or of all. */
  successes(options: { tenantId?: string; kind?: string; limit: number }): Promise<OperationRecord[]>;
  /** Which of these ids belong to deployments. */
  recorded(ids: readonly string[]): Promise<ReadonlySet<string>>;
  removeEndedBefore(date: Date): Promise<void>;
}

const open: OperationStatus[] = ['queued', 'running'];
const ended: OperationStatus[] = ['success', 'failed', 'cancelled'];

export function createDeploymentStore(store: Store): DeploymentStore {
  const text = DataTypes.STRING(20);
  const Deployments = store.sequelize.define<DeploymentRow>(
    'deployment',
    {
      id: { type: idType, primaryKey: true },
      tenant_id: idType,
      kind: text,
      status: text,
      phase: text,
      outcome: text,
      input: jsonColumn('input'),
      state: jsonColumn('state'),
      steps: jsonColumn('steps'),
      error: jsonColumn('error'),
      attempts: DataTypes.INTEGER,
      created_at: instant,
      started_at: instant,
      finished_at: instant,
      cancel_requested_at: instant,
      release_key: DataTypes.STRING(255),
    },
    { tableName: 'deployments' },
  );
  const newestFirst: [string, string][] = [
    ['created_at', 'DESC'],
    ['id', 'DESC'],
  ];

  return {
    journal: {
      async insert(record) {
        // The tenant may have been deleted in the meantime.
        await refuseOrphan(Deployments.create(toRow(record)), () => notFound('tenant', record.subject));
      },
      async save(record) {
        await Deployments.update(toRow(record), { where: { id: record.id } });
      },
      async requestCancel(id, at) {
        await Deployments.update({ cancel_requested_at: at }, { where: { id } });
      },
      async unfinished() {
        const rows = await Deployments.findAll({
          where: { status: { [Op.in]: open } },
          order: [['created_at', 'ASC']],
        });
        return rows.map(toRecord);
      },
    },
    async find(id) {
      const row = await Deployments.findByPk(id);
      return row ? toRecord(row) : undefined;
    },
    async list(tenantId, { limit, offset }) {
      const { rows, count } = await Deployments.findAndCountAll({
        where: { tenant_id: tenantId },
        order: newestFirst,
        limit,
        offset,
      });
      return { items: rows.map(toRecord), total: count };
    },
    async releasesInUse(last) {
      const rows = await store.select<{ release_key: string }>(releasesInUse, { open, last });
      return rows.map((row) => row.release_key);
    },
    async successes({ tenantId, kind, limit }) {
      const where = {
        status: 'success' as const,
        ...(tenantId ? { tenant_id: tenantId } : {}),
        ...(kind ? { kind } : {}),
      };
      return (await Deployments.findAll({ where, order: newestFirst, limit })).map(toRecord);
    },
    async recorded(ids) {
      const rows = await Deployments.findAll({ where: { id: [...ids] }, attributes: ['id'] });
      return new Set(rows.map((row) => row.id));
    },
    async removeEndedBefore(date) {
      const where = { finished_at: { [Op.lt]: date }, status: { [Op.in]: ended } };
      const ids = (await Deployments.findAll({ where, attributes: ['id'] })).map((row) => row.id);
      for (let start = 0; start < ids.length; start += 500) {
        await Deployments.destroy({ where: { id: ids.slice(start, start + 500) } });
      }
    },
  };
}

/** Covered by an index, so it reads neither states nor steps. */
const releasesInUse = `
  SELECT release_key FROM deployments WHERE status IN (:open) AND release_key IS NOT NULL
  UNION
  SELECT release_key FROM (
    SELECT release_key, ROW_NUMBER() OVER (PARTITION BY tenant_id ORDER BY MAX(created_at) DESC) AS position
    FROM deployments WHERE status = 'success' AND release_key IS NOT NULL GROUP BY tenant_id, release_key
  ) AS newest WHERE position <= :last`;

/** All columns except the one that `requestCancel` writes: an earlier save that ends later must not reset it. */
function toRow(record: OperationRecord) {
  return {
    id: record.id,
    tenant_id: record.subject,
    kind: record.kind,
    status: record.status,
    phase: record.phase,
    outcome: record.outcome,
    input: record.input,
    state: record.state,
    steps: record.steps,
    error: record.error,
    attempts: record.attempts,
    created_at: record.createdAt,
    started_at: record.startedAt,
    finished_at: record.finishedAt,
    release_key: deploymentState.safeParse(record.state).data?.release?.key ?? null,
  };
}

function toRecord(row: DeploymentRow): OperationRecord {
  return {
    id: row.id,
    subject: row.tenant_id,
    kind: row.kind,
    status: row.status,
    phase: row.phase,
    outcome: row.outcome,
    input: row.input,
    state: row.state,
    steps: row.steps,
    error: row.error,
    attempts: row.attempts,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    cancelRequestedAt: row.cancel_requested_at,
  };
}
