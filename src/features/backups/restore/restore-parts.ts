import { join } from 'node:path';
import type {
  BoundDatabase,
  DatabaseContents,
  DumpWork,
  ScratchDatabase,
} from '../../../adapters/databases/tenant-database.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { AppError } from '../../../lib/errors.ts';
import { mkdir, rm } from '../../../lib/files/changes.ts';
import { newId } from '../../../lib/ids.ts';
import { deployedRelease, spaceOf, type Tenant } from '../../tenants/tenant.ts';
import { workDirectory } from '../archive/create.ts';
import { assertRoomForCopy } from '../archive/disk-space.ts';
import { contentsIn, type Manifest, partNames } from '../archive/manifest.ts';
import { DamagedBackup, manifestOf, readPart, verifyArchive } from '../archive/read-archive.ts';
import { type BackupsDeps, incoming, restoreDirectories } from '../backup.ts';
import type { RemoteCopies } from '../offsite/remote-copies.ts';
import type { Backup } from '../store.ts';
import type { ScratchDatabases } from './scratch-databases.ts';

export type RestoreParts = ReturnType<typeof createRestoreParts>;

/** Restores the parts of a backup into a tenant, its own or another; the tenant's units must not run. Each may be called again. */
export function createRestoreParts(
  given: { remote: Pick<RemoteCopies, 'fetchIfMissing'>; scratchDatabases: Pick<ScratchDatabases, 'fill'> },
  deps: Pick<BackupsDeps, 'runtime' | 'databaseOf' | 'directory'>,
) {
  const { remote, scratchDatabases } = given;
  const { runtime, databaseOf, directory } = deps;
  const filesOf = (backup: Backup, signal: AbortSignal) => readPart(pathOf(backup), partNames.files, signal);
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

    /** Asks for room for a backup's data next to the present. @throws AppError insufficient_storage */
    async assertRoom(tenant: Tenant, { parts }: Pick<Manifest, 'parts'>): Promise<void> {
      const { database: kind } = deployedRelease(tenant);
      await assertRoomForCopy(runtime, await databaseFor(tenant), kind, parts);
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

    /** Loads a backup into a database that holds nothing yet, and compares. */
    database: (tenant: Tenant, backup: Backup, work: Work): Promise<void> =>
      withTemporaryDirectory(async (temporary) => {
        const database = await databaseFor(tenant);
        if (!database) return;
        await database.ensure(work);
        const dumpWork = { signal: work.signal, directory: temporary };
        await loadInto(database, database.dumpFormat, backup, dumpWork, work.log);
      }),

    /** Loads a backup into the tenant's spare database, and compares. */
    async loadSpareDatabase(tenant: Tenant, backup: Backup, work: Work): Promise<void> {
      const database = await databaseFor(tenant);
      if (!database) return;
      await scratchDatabases.fill(tenant, database, work, (scratch, dumpWork) =>
        loadInto(scratch, database.dumpFormat, backup, dumpWork, work.log),
      );
    },

    /** Adds a backup's files to those of the application. */
    async files(tenant: Tenant, backup: Backup, { log, signal }: Work): Promise<void> {
      log('Restoring the files');
      await runtime.data.write(spaceOf(tenant), filesOf(backup, signal), signal);
    },

    /** Writes a backup's files next to those of the application. */
    async writeSpareFiles(tenant: Tenant, backup: Backup, { log, signal }: Work): Promise<void> {
      log('Restoring the files');
      const space = spaceOf(tenant);
      await runtime.data.remove(space, { only: restoreDirectories }, signal);
      await runtime.data.write(space, filesOf(backup, signal), signal, { into: incoming });
    },
  };

  async function loadInto(
    into: Pick<ScratchDatabase, 'load' | 'contents'>,
    format: BoundDatabase['dumpFormat'],
    backup: Backup,
    work: DumpWork,
    log: Work['log'],
  ): Promise<void> {
    log('Loading the database');
    await into.load(readPart(pathOf(backup), partNames[format], work.signal), work);
    const wanted = contentsIn(backup.rowCounts, await manifestOf(pathOf(backup), work.signal));
    if (!wanted) {
      log('The backup does not say what its tables held, so nothing was compared');
      return;
    }
    const differing = differingTables(await into.contents(work), wanted);
    if (differing.length > 0) throw new Error(`The restored database differs from the backup: ${differing.join('; ')}`);
    log('The rows and contents of all tables match');
  }
}

/** The tables that differ. */
export function differingTables(found: DatabaseContents, wanted: DatabaseContents): string[] {
  const tables = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  return [...tables].flatMap((table) => {
    const [has, should] = [found[table], wanted[table]];
    if (has?.rows !== should?.rows)
      return [`${table} has ${has?.rows ?? 'no such table'} instead of ${should?.rows ?? 'no such table'}`];
    const compared = has?.checksum !== undefined && should?.checksum !== undefined;
    return compared && has.checksum !== should.checksum ? [`${table} has as many rows, with other values`] : [];
  });
}
