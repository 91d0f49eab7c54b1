import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import type { Store } from '../../adapters/store/store.ts';
import { mapConcurrently } from '../../lib/concurrency/map-concurrently.ts';
import { AppError } from '../../lib/errors.ts';
import { type DatabaseOf, type LostData, spaceOf, type Tenant } from '../tenants/tenant.ts';
import { createBackupStore } from './store.ts';

const askedAtOnce = 4;

/** A deployment without services leaves a tenant `pending`, and makes no place for files. */
const hasData = ({ deployed, status }: Tenant): boolean => deployed !== null && status !== 'pending';

/**
 * Looks for the data of tenants with the runtime and at their database servers.
 * @param options.origin the runtime that tenants are moved from, if there is one
 */
export function createLostData({
  runtime,
  origin,
  databaseOf,
  store,
}: {
  runtime: Pick<Runtime, 'data' | 'inspect'>;
  origin?: Pick<Runtime, 'data'> | undefined;
  databaseOf: DatabaseOf;
  store: Store;
}): LostData {
  const backups = createBackupStore(store);

  async function missingDatabase(tenant: Tenant, signal: AbortSignal): Promise<string | undefined> {
    const kind = tenant.deployed?.database;
    return kind ? (await databaseOf(tenant, kind)).missingData(signal) : undefined;
  }

  /** Whether a tenant has not been moved yet. */
  async function isAtOrigin(tenant: Tenant): Promise<boolean> {
    if (!origin) return false;
    const space = spaceOf(tenant);
    const { commit } = await runtime.inspect({ tenant: space, role: 'api' });
    return commit === null && (await origin.data.missing([space])).size === 0;
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
      if (!hasData(tenant) || (await isAtOrigin(tenant))) return;
      const files = tenant.lostData ?? (await runtime.data.missing([spaceOf(tenant)])).get(tenant.id);
      const gone = files ?? (await missingDatabase(tenant, signal));
      if (gone === undefined) return;
      throw new AppError(
        'data_missing',
        `The data of ${tenant.slug} is gone: ${gone} does not exist. ${await newestOf(tenant)}, or deploy with accept_data_loss to begin without data`,
      );
    },

    async missing(tenants, signal) {
      const candidates = tenants.filter(hasData);
      const files = await runtime.data.missing(candidates.map(spaceOf)).catch(() => new Map<string, string>());
      const gone = new Map<string, string>();
      await mapConcurrently(candidates, askedAtOnce, async (tenant) => {
        const { id, lostData } = tenant;
        const what = lostData ?? files.get(id) ?? (await missingDatabase(tenant, signal).catch(() => undefined));
        if (what !== undefined && !(await isAtOrigin(tenant).catch(() => true))) gone.set(id, what);
      });
      return gone;
    },
  };
}
