import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BoundDatabase, DumpWork, ScratchDatabase } from '../../../adapters/databases/tenant-database.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { AppError } from '../../../lib/errors.ts';
import { mkdir, rm, writeFile } from '../../../lib/files/changes.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import { workDirectory } from '../archive/create.ts';
import type { BackupsDeps } from '../backup.ts';

export type ScratchDatabases = ReturnType<typeof createScratchDatabases>;

/** The tenants' spare databases; what is left there is removed even if the manager is killed during their use. */
export function createScratchDatabases({ directory, engine, tenants, databaseOf }: BackupsDeps) {
  /** Contains a marker file for each tenant that may have one, written before the database is created. */
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
      await database.dropScratch();
    }
    await rm(markOf(tenantId), { force: true });
  }

  async function withNew<T>(
    tenant: Tenant,
    database: BoundDatabase,
    work: Work,
    use: (scratch: ScratchDatabase, work: DumpWork) => Promise<T>,
  ): Promise<T> {
    await mkdir(marks, { recursive: true, mode: 0o700 });
    await writeFile(markOf(tenant.id), '', { mode: 0o600 });
    await database.ensure(work);
    const temporary = workDirectory(directory, `scratch-${tenant.id}`);
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    const dumpWork = { signal: work.signal, directory: temporary };
    try {
      return await use(await database.scratch(dumpWork), dumpWork);
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }

  return {
    /** Creates one and a temporary directory, passes both to `use`, and removes them. */
    using: <T>(
      tenant: Tenant,
      database: BoundDatabase,
      work: Work,
      use: (scratch: ScratchDatabase, work: DumpWork) => Promise<T>,
    ): Promise<T> =>
      withNew(tenant, database, work, async (scratch, dumpWork) => {
        try {
          return await use(scratch, dumpWork);
        } finally {
          // If the drop fails, the marker stays and `clear` drops the database later.
          await scratch.drop().then(
            () => rm(markOf(tenant.id), { force: true }),
            () => undefined,
          );
        }
      }),

    /** Creates one, and keeps it until `drop`. */
    fill: withNew,

    /** Drops a tenant's spare database; if that fails, `clear` does it later. */
    drop: (tenant: Tenant): Promise<void> => drop(tenant.id).catch(() => undefined),

    /** Leaves a tenant's spare database until another takes its place. */
    keep: (tenant: Tenant): Promise<void> => rm(markOf(tenant.id), { force: true }),

    /** Drops orphaned scratch databases; skips tenants that are busy or whose database does not answer until the next call. */
    async clear(): Promise<void> {
      for (const tenantId of await readdir(marks).catch((): string[] => [])) {
        if (engine.isBusy(tenantId)) continue;
        await engine.exclusive(tenantId, 'removal of a scratch database', () => drop(tenantId)).catch(() => undefined);
      }
    },
  };
}
