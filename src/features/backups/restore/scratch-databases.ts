import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DumpWork, ScratchDatabase } from '../../../adapters/databases/tenant-database.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import { workDirectory } from '../archive/create.ts';
import type { BackupDatabase, BackupDependencies, Work } from '../dependencies.ts';

/** Scratch databases beside tenants' own; none outlives its use, though the manager be killed meanwhile. */
export interface ScratchDatabases {
  /** Makes one, hands it to `use` with a directory for what must be laid aside, and removes both. */
  using<T>(
    tenant: Tenant,
    database: BackupDatabase,
    work: Work,
    use: (scratch: ScratchDatabase, work: DumpWork) => Promise<T>,
  ): Promise<T>;
  /** Drops those that were left; those of a tenant that is worked on, or whose database does not answer, at the next turn. */
  clear(): Promise<void>;
}

type Deps = Pick<BackupDependencies, 'directory' | 'engine' | 'tenants' | 'databaseOf'>;

export function createScratchDatabases({ directory, engine, tenants, databaseOf }: Deps): ScratchDatabases {
  /** Holds a file for each tenant that may have a scratch database, written before that is made. */
  const marks = join(directory, '.scratch');
  const markOf = (tenantId: string): string => join(marks, tenantId);

  async function drop(tenantId: string): Promise<void> {
    const tenant = await tenants.get(tenantId).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    });
    const kind = tenant?.deployed?.database;
    if (tenant && kind) {
      const database = await databaseOf(tenant, kind);
      if (kind !== 'sqlite' && (await database.check({ timeoutMs: 5_000 })).status !== 'healthy') return;
      await database.dropScratchDatabases();
    }
    await rm(markOf(tenantId), { force: true });
  }

  return {
    async using(tenant, database, work, use) {
      await mkdir(marks, { recursive: true, mode: 0o700 });
      await writeFile(markOf(tenant.id), '', { mode: 0o600 });
      await database.ensure(work);
      await database.dropScratchDatabases();
      const place = workDirectory(directory, `scratch-${tenant.id}`);
      await mkdir(place, { recursive: true, mode: 0o700 });
      const dumpWork = { signal: work.signal, directory: place };
      try {
        const scratch = await database.scratch(dumpWork);
        try {
          return await use(scratch, dumpWork);
        } finally {
          // One that can't be dropped now keeps its mark, and is dropped later.
          await scratch.drop().then(
            () => rm(markOf(tenant.id), { force: true }),
            () => undefined,
          );
        }
      } finally {
        await rm(place, { recursive: true, force: true });
      }
    },

    async clear() {
      for (const tenantId of await readdir(marks).catch((): string[] => [])) {
        if (engine.isBusy(tenantId)) continue;
        await engine.exclusive(tenantId, 'removal of a scratch database', () => drop(tenantId)).catch(() => undefined);
      }
    },
  };
}
