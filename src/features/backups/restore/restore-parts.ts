import { join } from 'node:path';
import type { BoundDatabase } from '../../../adapters/databases/tenant-database.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { AppError } from '../../../lib/errors.ts';
import { mkdir, rm } from '../../../lib/files/changes.ts';
import { newId } from '../../../lib/ids.ts';
import { deployedRelease, spaceOf, type Tenant } from '../../tenants/tenant.ts';
import { workDirectory } from '../archive/create.ts';
import { type Manifest, partNames } from '../archive/manifest.ts';
import { DamagedBackup, readPart, verifyArchive } from '../archive/read-archive.ts';
import type { BackupsDeps } from '../backup.ts';
import type { RemoteCopies } from '../offsite/remote-copies.ts';
import type { Backup } from '../store.ts';

export type RestoreParts = ReturnType<typeof createRestoreParts>;

/** Restores the parts of a backup into a tenant, its own or another; the tenant's units must not run. Each may be called again. */
export function createRestoreParts(
  remote: Pick<RemoteCopies, 'fetchIfMissing'>,
  deps: Pick<BackupsDeps, 'runtime' | 'databaseOf' | 'directory' | 'databaseFiles'>,
) {
  const { runtime, databaseOf, directory, databaseFiles } = deps;
  const pathOf = (backup: Backup): string => join(directory, backup.file);

  async function databaseFor(tenant: Tenant): Promise<BoundDatabase | null> {
    const { database } = deployedRelease(tenant);
    return database && (await databaseOf(tenant, database));
  }

  /** A new directory for each call: a backup may be restored into several tenants at a time. */
  async function withTemporaryDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
    const path = workDirectory(directory, `restore-${newId()}`);
    await mkdir(path, { recursive: true, mode: 0o700 });
    try {
      return await work(path);
    } finally {
      await rm(path, { recursive: true, force: true });
    }
  }

  return {
    /** Verifies the file, downloaded from the bucket if it is missing. @throws AppError invalid_state with the problem */
    async verify(backup: Backup, { signal }: Work): Promise<Manifest> {
      const { id, status, sizeBytes, sha256 } = backup;
      if (status !== 'complete' || sizeBytes === null || sha256 === null)
        throw new AppError('invalid_state', `The backup ${id} is not complete: ${backup.error ?? status}`);
      try {
        await remote.fetchIfMissing(backup, signal);
        return await verifyArchive(pathOf(backup), { id, sizeBytes, sha256 }, signal);
      } catch (error) {
        if (error instanceof DamagedBackup) throw new AppError('invalid_state', error.message, { cause: error });
        throw error;
      }
    },

    /** @throws AppError invalid_state if the tenant's database is of another kind */
    async assertFits(backup: Backup, tenant: Tenant): Promise<void> {
      const engine = (await databaseFor(tenant))?.engine ?? null;
      if (engine === backup.engine) return;
      const shown = (name: string | null): string => name ?? 'no database';
      throw new AppError(
        'invalid_state',
        `The backup is of ${shown(backup.engine)}, but ${tenant.slug} has ${shown(engine)}`,
      );
    },

    /** Replaces the content of the tenant's database and compares the row counts. */
    database: (tenant: Tenant, backup: Backup, work: Work): Promise<void> =>
      withTemporaryDirectory(async (temporary) => {
        const database = await databaseFor(tenant);
        if (!database) return;
        await database.ensure(work);
        const { signal } = work;
        work.log('Loading the database');
        const dumpWork = { signal, directory: temporary };
        await database.load(readPart(pathOf(backup), partNames[database.dumpFormat], signal), dumpWork);
        const counts = await database.rowCounts(dumpWork);
        const differing = differingTables(counts, backup.rowCounts);
        if (differing.length > 0)
          throw new Error(`The restored database differs from the backup: ${differing.join('; ')}`);
        work.log('The row counts of all tables match');
      }),

    /** Replaces all the application's own files. */
    async files(tenant: Tenant, backup: Backup, { log, signal }: Work): Promise<void> {
      log('Restoring the files');
      const space = spaceOf(tenant);
      await runtime.data.remove(space, { except: databaseFiles }, signal);
      await runtime.data.write(space, readPart(pathOf(backup), partNames.files, signal), signal);
    },
  };
}

/** The tables with different row counts. */
export function differingTables(found: Record<string, number>, wanted: Record<string, number> | null): string[] {
  const tables = new Set([...Object.keys(found), ...Object.keys(wanted ?? {})]);
  return [...tables]
    .filter((table) => found[table] !== wanted?.[table])
    .map((table) => `${table} has ${found[table] ?? 'no such table'} instead of ${wanted?.[table] ?? 'no such table'}`);
}
