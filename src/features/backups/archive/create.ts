import { constants } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BoundDatabase } from '../../../adapters/databases/tenant-database.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { mkdir, open, rm } from '../../../lib/files/changes.ts';
import { newId } from '../../../lib/ids.ts';
import { deployedRelease, spaceOf, type Tenant } from '../../tenants/tenant.ts';
import type { BackupKind, BackupsDeps } from '../backup.ts';
import type { Backup, BackupStore } from '../store.ts';
import { assertDiskSpace, diskFullError, isFull } from './disk-space.ts';
import { type Manifest, type Part, partNames } from './manifest.ts';
import { verifyArchive } from './read-archive.ts';
import { writeArchive, writePart, writePlainPart } from './write-archive.ts';

export interface CreateOptions {
  kind: BackupKind;
  /** The name of the user. */
  createdBy: string;
  /** Saved by the caller first, so that the same call after a crash returns the finished backup or replaces an unfinished one. */
  id?: string | undefined;
}

/** @see createBackups */
export type CreateBackup = (tenant: Tenant, options: CreateOptions, work: Work) => Promise<Backup>;

/** The directory for a backup's parts until they are packed. */
export const workDirectory = (directory: string, id: string): string => join(directory, '.work', id);

/**
 * Makes backups inside an operation's step: inserts a row, writes the file and verifies it before the row becomes complete. A
 * failed backup keeps its row with the error, but no file.
 * @throws (the function) AppError not_deployed, insufficient_storage; Error with the reason; the signal's reason
 */
export function createBackupWriter(rows: BackupStore, deps: BackupsDeps): CreateBackup {
  const { clock, databaseOf, directory, offsite } = deps;

  async function removeFiles(backup: Backup): Promise<void> {
    await rm(workDirectory(directory, backup.id), { recursive: true, force: true });
    await rm(join(directory, backup.file), { force: true });
  }

  async function insertRow(tenant: Tenant, options: CreateOptions, database: BoundDatabase | null): Promise<Backup> {
    const id = options.id ?? newId();
    const release = deployedRelease(tenant);
    const createdAt = clock.now();
    const stamp = createdAt.toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const backup: Backup = {
      id,
      tenantId: tenant.id,
      kind: options.kind,
      status: 'creating',
      version: release.version,
      commit: release.commit,
      engine: database?.engine ?? null,
      file: `${tenant.slug}/${stamp}-${id}.tar`,
      sizeBytes: null,
      sha256: null,
      rowCounts: null,
      durationMs: null,
      createdBy: options.createdBy,
      createdAt,
      verifiedAt: null,
      drill: null,
      error: null,
      remoteState: null,
      remoteKey: null,
      remotePlace: null,
      remoteError: null,
      remoteTries: null,
      remoteTriedAt: null,
    };
    await rows.insert(backup);
    return backup;
  }

  /** Removes an unfinished earlier attempt; returns a complete one. */
  async function earlierAttempt(id: string | undefined): Promise<Backup | undefined> {
    const found = id === undefined ? undefined : await rows.find(id);
    if (!found || found.status === 'complete') return found;
    await removeFiles(found);
    await rows.remove(found.id);
    return undefined;
  }

  return async (tenant, options, work) => {
    const complete = await earlierAttempt(options.id);
    if (complete) return complete;
    const { database: kind } = deployedRelease(tenant);
    const database = kind && (await databaseOf(tenant, kind));
    // The tenant's own database server may be stopped.
    await database?.ensure(work);
    // Only a complete backup shows how much space a backup needs.
    const { items } = await rows.list(tenant.id, { status: 'complete' }, { limit: 1, offset: 0 });
    await assertDiskSpace(directory, database, items[0]);
    const backup = await insertRow(tenant, options, database);
    const began = performance.now();
    try {
      const built = await build(tenant, backup, database, deps, work);
      work.log(`Packed ${(built.size / 1024 ** 2).toFixed(1)} MiB; verifying the archive`);
      const expected = { id: backup.id, sizeBytes: built.size, sha256: built.sha256 };
      await verifyArchive(join(directory, backup.file), expected, work.signal);
      const changes = {
        status: 'complete' as const,
        sizeBytes: built.size,
        sha256: built.sha256,
        rowCounts: built.rowCounts,
        durationMs: Math.round(performance.now() - began),
        verifiedAt: clock.now(),
        remoteState: (await offsite.destination()) ? ('pending' as const) : null,
      };
      await rows.update(backup.id, changes);
      work.log('Backup verified');
      return { ...backup, ...changes };
    } catch (error) {
      await removeFiles(backup);
      await rows.update(backup.id, { status: 'failed', error: messageOf(error) });
      work.signal.throwIfAborted();
      throw await explainDiskFull(error, directory);
    } finally {
      await rm(workDirectory(directory, backup.id), { recursive: true, force: true });
    }
  };
}

async function build(
  tenant: Tenant,
  backup: Backup,
  database: BoundDatabase | null,
  { directory, runtime, databaseFiles }: BackupsDeps,
  work: Work,
) {
  const parts: Part[] = [];
  const partsDirectory = workDirectory(directory, backup.id);
  await mkdir(partsDirectory, { recursive: true, mode: 0o700 });
  let rowCounts: Record<string, number> | null = null;
  if (database) {
    work.log(`Dumping the database (${database.engine})`);
    const dump = database.dump({ signal: work.signal, directory: partsDirectory });
    const part = await writePart(partsDirectory, partNames[database.dumpFormat], dump.content, work.signal);
    parts.push(part);
    rowCounts = dump.rowCounts();
    const tables = Object.keys(rowCounts).length;
    const rows = Object.values(rowCounts).reduce((sum, count) => sum + count, 0);
    work.log(
      `${rows} row${rows === 1 ? '' : 's'} in ${tables} table${tables === 1 ? '' : 's'}, ${(part.size / 1024 ** 2).toFixed(1)} MiB packed`,
    );
  }
  const environment = await readEnvironment(tenant.directory);
  if (environment) parts.push(await writePlainPart(partsDirectory, partNames.environment, environment));

  work.log('Copying the files');
  const writeFiles = (still: boolean) =>
    writePart(
      partsDirectory,
      partNames.files,
      runtime.data.read(spaceOf(tenant), { except: databaseFiles, still, signal: work.signal }),
      work.signal,
    );
  const files = await writeFiles(false).catch((error: unknown) => {
    work.signal.throwIfAborted();
    if (isFull(error)) throw error;
    work.log(`A file changed while it was read (${messageOf(error)}); retrying with the services paused`);
    return writeFiles(true);
  });
  parts.push(files);

  const manifest: Manifest = {
    format: 1,
    id: backup.id,
    kind: backup.kind,
    tenant: { id: tenant.id, slug: tenant.slug },
    version: backup.version,
    commit: backup.commit,
    created_at: backup.createdAt.toISOString(),
    engine: backup.engine,
    row_counts: rowCounts,
    parts,
  };
  const path = join(directory, backup.file);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return { ...(await writeArchive(partsDirectory, manifest, path, work.signal)), rowCounts };
}

/** The tenant's environment file; does not follow a symbolic link, which the tenant's code could have created. */
async function readEnvironment(directory: string): Promise<Buffer | undefined> {
  const file = await open(join(directory, '.env'), constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
  try {
    return file && (await file.stat()).isFile() ? await file.readFile() : undefined;
  } finally {
    await file?.close();
  }
}

async function explainDiskFull(error: unknown, directory: string): Promise<unknown> {
  if (error instanceof AppError || !isFull(error)) return error;
  const space = await statfs(directory).catch(() => undefined);
  const free = space ? Math.floor((space.bavail * space.bsize) / 1024 ** 2) : 0;
  return diskFullError(directory, `the disk became full (${free} MiB are free now)`);
}
