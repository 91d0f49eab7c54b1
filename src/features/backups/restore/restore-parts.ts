import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { deployedRelease, spaceOf, type Tenant } from '../../tenants/tenant.ts';
import { workDirectory } from '../archive/create.ts';
import { type Manifest, partNames } from '../archive/manifest.ts';
import { DamagedBackup, readPart, verifyArchive } from '../archive/read-archive.ts';
import type { Backup } from '../backup.ts';
import type { BackupDatabase, BackupDependencies, Work } from '../dependencies.ts';
import type { RemoteCopies } from '../offsite/remote-copies.ts';

type Deps = Pick<BackupDependencies, 'runtime' | 'databaseOf' | 'directory' | 'databaseFiles'> & {
  remote: Pick<RemoteCopies, 'bringBack'>;
};

/** Puts the parts of a backup into a tenant, its own or another; the tenant's units must not run. Each may be called again. */
export interface RestoreParts {
  /** Reads the file through, fetched back from the bucket where it is gone. @throws AppError invalid_state saying what is wrong with it */
  verify(backup: Backup, work: Work): Promise<Manifest>;
  /** @throws AppError invalid_state where the tenant's database is another kind's */
  assertFits(backup: Backup, tenant: Tenant): Promise<void>;
  /** Replaces all that is in the tenant's database, and counts what is there then. */
  database(tenant: Tenant, backup: Backup, work: Work): Promise<void>;
  /** Replaces all the application's own files. */
  files(tenant: Tenant, backup: Backup, work: Work): Promise<void>;
}

export function createRestoreParts({ runtime, databaseOf, directory, databaseFiles, remote }: Deps): RestoreParts {
  const pathOf = (backup: Backup): string => join(directory, backup.file);

  async function databaseFor(tenant: Tenant): Promise<BackupDatabase | null> {
    const { database } = deployedRelease(tenant);
    return database && (await databaseOf(tenant, database));
  }

  /** A directory of its own for each: a backup may be put into several tenants at a time. */
  async function aside<T>(work: (directory: string) => Promise<T>): Promise<T> {
    const path = workDirectory(directory, `restore-${newId()}`);
    await mkdir(path, { recursive: true, mode: 0o700 });
    try {
      return await work(path);
    } finally {
      await rm(path, { recursive: true, force: true });
    }
  }

  return {
    async verify(backup, { signal }) {
      const { id, status, sizeBytes, sha256 } = backup;
      if (status !== 'complete' || sizeBytes === null || sha256 === null)
        throw new AppError('invalid_state', `The backup ${id} is not complete: ${backup.error ?? status}`);
      try {
        await remote.bringBack(backup, signal);
        return await verifyArchive(pathOf(backup), { id, sizeBytes, sha256 }, signal);
      } catch (error) {
        if (error instanceof DamagedBackup) throw new AppError('invalid_state', error.message, { cause: error });
        throw error;
      }
    },

    async assertFits(backup, tenant) {
      const engine = (await databaseFor(tenant))?.engine ?? null;
      if (engine === backup.engine) return;
      const said = (name: string | null): string => name ?? 'no database';
      throw new AppError(
        'invalid_state',
        `The backup is of ${said(backup.engine)}, and ${tenant.slug} has ${said(engine)}`,
      );
    },

    database: (tenant, backup, work) =>
      aside(async (place) => {
        const database = await databaseFor(tenant);
        if (!database) return;
        await database.ensure(work);
        const { signal } = work;
        work.log('Loading the database');
        const dumpWork = { signal, directory: place };
        await database.load(readPart(pathOf(backup), partNames[database.dumpFormat], signal), dumpWork);
        const counts = await database.rowCounts(dumpWork);
        const differing = differingTables(counts, backup.rowCounts);
        if (differing.length > 0)
          throw new Error(`The database does not hold what the backup does: ${differing.join('; ')}`);
        work.log('Every table has its rows');
      }),

    async files(tenant, backup, { log, signal }) {
      log('Putting back the files');
      const space = spaceOf(tenant);
      await runtime.data.remove(space, { except: databaseFiles }, signal);
      await runtime.data.write(space, readPart(pathOf(backup), partNames.files, signal), signal);
    },
  };
}

/** The tables whose rows differ, and how. */
export function differingTables(found: Record<string, number>, wanted: Record<string, number> | null): string[] {
  const tables = new Set([...Object.keys(found), ...Object.keys(wanted ?? {})]);
  return [...tables]
    .filter((table) => found[table] !== wanted?.[table])
    .map((table) => `${table} has ${found[table] ?? 'no such table'} instead of ${wanted?.[table] ?? 'no such table'}`);
}
