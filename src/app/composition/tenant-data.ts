import type { DatabaseKind, DatabaseOwner, DumpWork } from '../../adapters/databases/tenant-database.ts';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import type { Store } from '../../adapters/store/store.ts';
import { createLostData } from '../../features/backups/lost-data.ts';
import type { TenantConfigs } from '../../features/tenant-config/tenant-config.ts';
import { type LiveRelease, spaceOf, type Tenant } from '../../features/tenants/tenant.ts';
import type { Databases } from './adapters/databases.ts';

/** Tenants' databases and their units' environments. */
export function composeTenantData(
  configs: TenantConfigs,
  databases: Databases,
  runtime: Runtime,
  store: Store,
  /** The runtime that tenants are moved from. */
  origin?: Runtime,
) {
  const ownerOf = async (tenant: Tenant): Promise<DatabaseOwner> => ({
    tenant: spaceOf(tenant),
    password: (await configs.secretsOf(tenant.id)).databasePassword,
    dataDirectory: runtime.paths(spaceOf(tenant)).dataDirectory,
    slot: tenant.databaseSlot,
  });
  const factsOf = async (tenant: Tenant, release: LiveRelease | null) => ({
    databaseUrl: release?.database ? databases.adapter(release.database).url(await ownerOf(tenant)) : null,
    importDirectory: runtime.paths(spaceOf(tenant)).importDirectory,
    version: release?.version ?? null,
    commit: release?.commit ?? null,
  });

  async function databaseOf(tenant: Tenant, kind: DatabaseKind) {
    const adapter = databases.adapter(kind);
    const owner = await ownerOf(tenant);
    return {
      engine: adapter.engine,
      dumpFormat: adapter.dumpFormat,
      ensure: (work: Parameters<typeof adapter.ensure>[1]) => adapter.ensure(owner, work),
      missingData: (signal: AbortSignal) => adapter.missingData(owner, signal),
      check: (limit: { timeoutMs: number }) => adapter.check(owner, limit),
      remove: (removal: { data: boolean }) => adapter.remove(owner, removal),
      dump: (work: DumpWork) => adapter.dump(owner, work),
      load: (content: AsyncIterable<Uint8Array>, work: DumpWork) => adapter.load(owner, content, work),
      contents: (work: DumpWork) => adapter.contents(owner, work),
      scratch: (work: DumpWork) => adapter.scratch(owner, work),
      dropScratch: () => adapter.dropScratch(owner),
    };
  }

  return {
    databaseOf,
    lostData: createLostData({ runtime, origin, databaseOf, store }),

    /** The environment of a tenant's units for a release; null: before the first one. */
    environmentOf: async (tenant: Tenant, release: LiveRelease | null): Promise<Record<string, string>> =>
      configs.environmentOf(tenant, await factsOf(tenant, release)),
  };
}
