import { refuseOrphan } from '../../adapters/store/conflicts.ts';
import type { Store } from '../../adapters/store/store.ts';
import { defineTable, instant, json, key, ownedBy, type RowOf, tableIn, text } from '../../adapters/store/table.ts';
import { notFound } from '../../lib/errors.ts';
import type { RunResults } from './schema.ts';

const columns = {
  tenantId: key(ownedBy('tenants')),
  releaseKey: text(255),
  at: instant,
  status: text<'passed' | 'failed'>(20),
  results: json<RunResults>(),
};
export const syntheticCheckRunsTable = defineTable('synthetic_check_runs', columns);

/** The last run of a tenant's checks. */
export type CheckRun = RowOf<typeof columns>;

/** The last run of each tenant, also in memory: each health check reads one. */
export interface RunStore {
  of(tenantId: string): Promise<CheckRun | undefined>;
  /** @throws AppError not_found if the tenant was deleted */
  save(run: CheckRun): Promise<void>;
  /** Call it when a tenant was deleted: the store has removed its row. */
  forget(tenantId: string): void;
}

export function createRunStore(store: Store): RunStore {
  const table = tableIn(store, syntheticCheckRunsTable);
  let loading: Promise<Map<string, CheckRun>> | undefined;

  async function load(): Promise<Map<string, CheckRun>> {
    return new Map((await table.all()).map((run) => [run.tenantId, run]));
  }

  function loaded(): Promise<Map<string, CheckRun>> {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  return {
    of: async (tenantId) => (await loaded()).get(tenantId),
    async save(run) {
      const runs = await loaded();
      await refuseOrphan(table.upsert(run), () => notFound('tenant', run.tenantId));
      runs.set(run.tenantId, run);
    },
    forget: (tenantId) => void loading?.then((runs) => runs.delete(tenantId)).catch(() => undefined),
  };
}
