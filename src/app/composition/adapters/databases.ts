import { chooseDatabase } from '../../../adapters/databases/choose.ts';
import type { createContainerMariadb } from '../../../adapters/databases/mariadb/container.ts';
import { createSqliteDatabase } from '../../../adapters/databases/sqlite/sqlite.ts';
import type { DatabaseEngine, DatabaseKind, TenantDatabase } from '../../../adapters/databases/tenant-database.ts';
import type { ImageAccess } from '../../../adapters/runtimes/image-access.ts';
import type { Runtime, UnitLimits } from '../../../adapters/runtimes/runtime.ts';
import type { Config } from '../../config/config.ts';

/** Which database a tenant gets here, and the adapter behind it. */
export interface Databases {
  /** Null if the application needs none. @throws Error with the reason if none of the engines is available */
  choose(engines: readonly DatabaseEngine[], current: DatabaseKind | null): DatabaseKind | null;
  has(kind: DatabaseKind): boolean;
  /** @throws Error where there is no such database here */
  adapter(kind: DatabaseKind): TenantDatabase;
}

export async function createDatabases(options: {
  runtime: Runtime;
  config: Pick<Config, 'TENANT_DATABASE_URL' | 'TENANT_DATABASE_ADDRESS' | 'MARIADB_IMAGE'>;
  /** The registries for the image. */
  access: ImageAccess;
  limits(): Promise<UnitLimits>;
}): Promise<Databases> {
  const { runtime, access, limits } = options;
  const {
    TENANT_DATABASE_URL: sharedServerUrl,
    TENANT_DATABASE_ADDRESS: forUnits,
    MARIADB_IMAGE: image,
  } = options.config;
  const { databaseServers: servers } = runtime;
  const adapters: Record<DatabaseKind, TenantDatabase | undefined> = {
    sqlite:
      runtime.kind === 'swarm'
        ? undefined
        : createSqliteDatabase(runtime.kind === 'process' ? { local: true } : { local: false, files: runtime.data }),
    'mariadb-shared': sharedServerUrl === undefined ? undefined : await createShared(sharedServerUrl, forUnits),
    'mariadb-container': servers && (await createContainer({ servers, image, access, limits })),
  };
  const here = {
    files: runtime.kind !== 'swarm',
    containers: servers !== undefined,
    sharedServer: sharedServerUrl !== undefined,
  };
  return {
    choose(engines, current) {
      const choice = chooseDatabase(engines, here, current);
      if (choice.kind === 'impossible') throw new Error(choice.reason);
      return choice.kind === 'none' ? null : choice.kind;
    },
    has: (kind) => adapters[kind] !== undefined,
    adapter(kind) {
      const adapter = adapters[kind];
      if (!adapter) throw new Error(`There is no ${kind} here: set TENANT_DATABASE_URL or use the docker runtime`);
      return adapter;
    },
  };
}

async function createShared(serverUrl: string, forUnits: string | undefined): Promise<TenantDatabase> {
  const { createSharedMariadb } = await import('../../../adapters/databases/mariadb/shared.ts');
  return createSharedMariadb({ serverUrl, forUnits });
}

async function createContainer(options: Parameters<typeof createContainerMariadb>[0]): Promise<TenantDatabase> {
  const mariadb = await import('../../../adapters/databases/mariadb/container.ts');
  return mariadb.createContainerMariadb(options);
}
