import type { Runtime, UnitLimits } from '../platform/runtime/runtime.ts';
import { chooseDatabase } from '../platform/tenant-database/choose.ts';
import { createContainerMariadb } from '../platform/tenant-database/mariadb/container.ts';
import { createSharedMariadb } from '../platform/tenant-database/mariadb/shared.ts';
import { createSqliteDatabase } from '../platform/tenant-database/sqlite.ts';
import type { DatabaseEngine, TenantDatabase } from '../platform/tenant-database/tenant-database.ts';

/** Which database a tenant gets here, and the adapter behind it. */
export interface Databases {
  /** @throws Error with the reason where none of the engines can be had; null: the application needs none */
  choose(engines: readonly DatabaseEngine[], current: DatabaseEngine | null): DatabaseEngine | null;
  adapter(engine: DatabaseEngine): TenantDatabase;
}

export function createDatabases(options: {
  runtime: Runtime;
  sharedServerUrl: string | undefined;
  image: string;
  limits(): Promise<UnitLimits>;
}): Databases {
  const { runtime, sharedServerUrl, image, limits } = options;
  const { databaseServers: servers } = runtime;
  const sqlite = createSqliteDatabase({ local: runtime.kind !== 'docker' && runtime.kind !== 'swarm' });
  const mariadb = sharedServerUrl
    ? createSharedMariadb({ serverUrl: sharedServerUrl })
    : servers && createContainerMariadb({ servers, image, limits });
  return {
    choose(engines, current) {
      const choice = chooseDatabase(
        engines,
        { containers: servers !== undefined, sharedServer: sharedServerUrl !== undefined },
        current,
      );
      if (choice.kind === 'impossible') throw new Error(choice.reason);
      return choice.kind === 'none' ? null : choice.engine;
    },
    adapter(engine) {
      if (engine === 'sqlite') return sqlite;
      if (!mariadb) throw new Error('There is no MariaDB here: set TENANT_DATABASE_URL or use the docker runtime');
      return mariadb;
    },
  };
}
