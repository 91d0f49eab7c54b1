import { Op } from 'sequelize';
import { refuseOrphan } from '../../adapters/store/conflicts.ts';
import { type NewestOf, newestRows } from '../../adapters/store/newest.ts';
import type { Store } from '../../adapters/store/store.ts';
import {
  defineTable,
  id,
  instant,
  integer,
  json,
  key,
  named,
  newestFirst,
  orNull,
  ownedBy,
  parseRow,
  type RowOf,
  tableIn,
  text,
} from '../../adapters/store/table.ts';
import { notFound } from '../../lib/errors.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import type {
  OperationError,
  OperationJournal,
  OperationRecord,
  OperationStatus,
  OperationSummary,
  Outcome,
  StepRecord,
} from '../../lib/operations/operation.ts';
import { deploymentState } from './operation.ts';

const columns = {
  id: key(id),
  subject: named('tenant_id', ownedBy('tenants')),
  kind: text(20),
  status: text<OperationStatus>(20),
  phase: text<OperationRecord['phase']>(20),
  outcome: orNull(text<Outcome>(20)),
  input: json<unknown>(),
  state: json<unknown>(),
  steps: json<StepRecord[]>(),
  error: orNull(json<OperationError>()),
  attempts: integer,
  createdAt: instant,
  startedAt: orNull(instant),
  finishedAt: orNull(instant),
  cancelRequestedAt: orNull(instant),
  releaseKey: orNull(text(255)),
};
export const deploymentsTable = defineTable('deployments', columns, {
  indexes: [
    ['subject', 'createdAt'],
    ['status', 'createdAt'],
    ['status', 'subject', 'releaseKey', 'createdAt'],
    ['kind', 'subject', 'createdAt'],
    ['finishedAt'],
    ['kind', 'createdAt'],
  ],
});

/** Deployments in the store; the operation engine's journal is this table. */
export interface DeploymentStore {
  journal: OperationJournal;
  find(id: string): Promise<OperationRecord | undefined>;
  list(tenantId: string, paging: Paging, kinds?: readonly string[]): Promise<Page<OperationRecord>>;
  /**
   * The keys of the releases that unfinished deployments use, and of the last deployed ones.
   * @param last how many different ones per tenant
   */
  releasesInUse(last: number): Promise<string[]>;
  /** The newest successful ones, at most `limit`; of one tenant or of all. */
  successes(options: { tenantId?: string; kind?: string; limit: number }): Promise<OperationRecord[]>;
  /** Of each tenant and each of these kinds, the last operation that succeeded or failed. */
  lastOutcomes(kinds: readonly string[]): Promise<OperationSummary[]>;
  /** Those that ended at this time or later, oldest first. */
  endedSince(date: Date, limit: number): Promise<OperationSummary[]>;
  /** The last created of some kinds, including those that have not ended. */
  newest(asked: NewestOf): Promise<OperationRecord[]>;
  /** Which of these ids belong to deployments. */
  recorded(ids: readonly string[]): Promise<ReadonlySet<string>>;
  removeEndedBefore(date: Date): Promise<void>;
}

const open: OperationStatus[] = ['queued', 'running'];
const ended: OperationStatus[] = ['success', 'failed', 'cancelled'];

/** Covered by an index, so it reads neither states nor steps. */
const releasesInUse = `
  SELECT release_key FROM deployments WHERE status IN (:open) AND release_key IS NOT NULL
  UNION
  SELECT release_key FROM (
    SELECT release_key, ROW_NUMBER() OVER (PARTITION BY tenant_id ORDER BY MAX(created_at) DESC) AS position
    FROM deployments WHERE status = 'success' AND release_key IS NOT NULL GROUP BY tenant_id, release_key
  ) AS newest WHERE position <= :last`;

/** Reads a single row of the index for each tenant and kind, unless later ones were cancelled or have not ended. */
const lastOutcomes = (kinds: readonly string[]): string => `
  SELECT latest.id, latest.tenant_id AS subject, latest.kind, latest.status, latest.error,
    latest.created_at AS createdAt, latest.finished_at AS finishedAt
  FROM (
    SELECT (
      SELECT id FROM deployments WHERE kind = kinds.kind AND tenant_id = tenants.id AND status IN (:decided)
      ORDER BY created_at DESC LIMIT 1
    ) AS id FROM tenants CROSS JOIN (${kinds.map((_, at) => `SELECT :kind${at} AS kind`).join(' UNION ALL ')}) AS kinds
  ) AS newest JOIN deployments AS latest ON latest.id = newest.id`;

export function createDeploymentStore(store: Store): DeploymentStore {
  const deployments = tableIn(store, deploymentsTable);
  return {
    journal: {
      async insert(record) {
        // The tenant may have been deleted in the meantime.
        await refuseOrphan(deployments.insert(toRow(record)), () => notFound('tenant', record.subject));
      },
      async save(record) {
        await deployments.update(toRow(record), { id: record.id });
      },
      async requestCancel(id, at) {
        await deployments.update({ cancelRequestedAt: at }, { id });
      },
      unfinished: async () =>
        (await deployments.all({ where: { status: open }, order: [['createdAt', 'ASC']] })).map(toRecord),
    },
    async find(id) {
      const row = await deployments.find({ id });
      return row && toRecord(row);
    },
    async list(tenantId, paging, kinds) {
      const where = { subject: tenantId, ...(kinds ? { kind: [...kinds] } : {}) };
      const { items, total } = await deployments.page(where, paging);
      return { items: items.map(toRecord), total };
    },
    async releasesInUse(last) {
      const rows = await store.select<{ release_key: string }>(releasesInUse, { open, last });
      return rows.map((row) => row.release_key);
    },
    async successes({ tenantId, kind, limit }) {
      const where = {
        status: 'success' as const,
        ...(tenantId ? { subject: tenantId } : {}),
        ...(kind ? { kind } : {}),
      };
      return (await deployments.all({ where, order: newestFirst, limit })).map(toRecord);
    },
    async lastOutcomes(kinds) {
      const named = Object.fromEntries(kinds.map((kind, at) => [`kind${at}`, kind]));
      const rows = await store.select(lastOutcomes(kinds), { ...named, decided: ['success', 'failed'] });
      return rows.map((row) => parseRow(columns, row));
    },
    endedSince: (date, limit) =>
      deployments.all({
        where: { finishedAt: { [Op.gte]: date } },
        only: ['id', 'subject', 'kind', 'status', 'error', 'createdAt', 'finishedAt'],
        order: [['finishedAt', 'ASC']],
        limit,
      }),
    async newest(asked) {
      const columnsOf = { id: 'id', time: 'created_at', group: 'kind', subject: 'tenant_id' };
      const rows = await newestRows(
        store,
        { table: 'deployments', selected: deployments.selected, ...columnsOf },
        asked,
      );
      return rows.map((row) => toRecord(parseRow(columns, row)));
    },
    recorded: async (ids) =>
      new Set((await deployments.all({ where: { id: [...ids] }, only: ['id'] })).map(({ id }) => id)),
    async removeEndedBefore(date) {
      const where = { finishedAt: { [Op.lt]: date }, status: ended };
      const ids = (await deployments.all({ where, only: ['id'] })).map(({ id }) => id);
      for (let start = 0; start < ids.length; start += 500)
        await deployments.remove({ id: ids.slice(start, start + 500) });
    },
  };
}

/** All columns except the one that `requestCancel` writes: an earlier save that ends later must not reset it. */
const toRow = ({ cancelRequestedAt: _written, ...record }: OperationRecord) => ({
  ...record,
  releaseKey: deploymentState.safeParse(record.state).data?.release?.key ?? null,
});

const toRecord = ({ releaseKey: _key, ...record }: RowOf<typeof columns>): OperationRecord => record;
