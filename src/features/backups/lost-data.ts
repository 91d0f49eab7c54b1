import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import type { Store } from '../../adapters/store/store.ts';
import { mapConcurrently } from '../../lib/concurrency/map-concurrently.ts';
import { AppError } from '../../lib/errors.ts';
import { type DatabaseOf, type LostData, spaceOf, type Tenant } from '../tenants/tenant.ts';
import { createBackupStore } from './store.ts';

const askedAtOnce = 4;

/** A deployment without services leaves a tenant `pending`, and makes no place for files. */
const hasData = ({ deployed, status }: Tenant): boolean => deployed !== null && status !== 'pending';

/** Looks for the data of tenants with the runtime and at their database servers. */
export function createLostData({
  runtime,
  databaseOf,
  store,
}: {
  runtime: { data: Pick<Runtime['data'], 'missing'> };
  databaseOf: DatabaseOf;
  store: Store;
}): LostData {
  const backups = createBackupStore(store);

  async function missingDatabase(tenant: Tenant, signal: AbortSignal): Promise<string | undefined> {
    const kind = tenant.deployed?.database;
    return kind ? (await databaseOf(tenant, kind)).missingData(signal) : undefined;
  }

  async function newestOf(tenant: Tenant): Promise<string> {
    const { items } = await backups.list(tenant.id, { status: 'complete' }, { limit: 1, offset: 0 });
    const [newest] = items;
    return newest
      ? `Restore the newest backup, ${newest.id} of ${newest.createdAt.toISOString()}`
      : 'There is no backup to restore';
  }

  return {
    async assertPresent(tenant, signal) {
      if (!hasData(tenant)) return;
      const files = tenant.lostData ?? (await runtime.data.missing([spaceOf(tenant)])).get(tenant.id);
      const gone = files ?? (await missingDatabase(tenant, signal));
      if (gone === undefined) return;
      throw new AppError(
        'data_missing',
        `The data of ${tenant.slug} is gone: ${gone} does not exist. ${await newestOf(tenant)}, or deploy with accept_data_loss to begin without data`,
      );
    },

    async missing(tenants, signal) {
      const deployed = tenants.filter(hasData);
      const gone = await runtime.data.missing(deployed.map(spaceOf)).catch(() => new Map<string, string>());
      for (const { id, lostData } of deployed) if (lostData !== null) gone.set(id, lostData);
      await mapConcurrently(deployed, askedAtOnce, async (tenant) => {
        const database = gone.has(tenant.id) ? undefined : await missingDatabase(tenant, signal).catch(() => undefined);
        if (database !== undefined) gone.set(tenant.id, database);
      });
      return gone;
    },
  };
}
