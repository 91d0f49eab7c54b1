import { constants } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BoundDatabase, DatabaseFindings } from '../../../adapters/databases/tenant-database.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { mkdir, open, rm } from '../../../lib/files/changes.ts';
import { newId } from '../../../lib/ids.ts';
import { deployedRelease, type LostData, spaceOf, type Tenant } from '../../tenants/tenant.ts';
import { type BackupKind, type BackupsDeps, restoreDirectories } from '../backup.ts';
import type { Backup, BackupStore, Loss } from '../store.ts';
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
export function createBackupWriter(
  rows: BackupStore,
  deps: BackupsDeps & { lostData: Pick<LostData, 'assertPresent'> },
): CreateBackup {
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
      uncovered: null,
      loss: null,
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

  async function reportLoss(tenant: Tenant, id: string, loss: Loss, { log }: Work): Promise<void> {
    log(`Far less than in the backup before: ${lossText(loss)}. Older backups are kept until this is confirmed`);
    await deps.writeAuditLog({
      level: 'error',
      category: 'system',
      message: `Backup of ${tenant.slug}: far less than in the one before`,
      tenant,
      details: { backup_id: id, lost: lossText(loss) },
    });
  }

  async function reportSlow(tenant: Tenant, id: string, hours: number, { log }: Work): Promise<void> {
    log(`The backup takes long; it ends after ${hours} h (setting backup_max_hours)`);
    await deps.writeAuditLog({
      level: 'warning',
      category: 'system',
      message: `Backup of ${tenant.slug} takes more than half of the ${hours} h that it may take`,
      tenant,
      details: { backup_id: id, max_hours: hours },
    });
  }

  return async (tenant, options, work) => {
    const complete = await earlierAttempt(options.id);
    if (complete) return complete;
    const { database: kind } = deployedRelease(tenant);
    const database = kind && (await databaseOf(tenant, kind));
    await deps.lostData.assertPresent(tenant, work.signal);
    // The tenant's own database server may be stopped.
    await database?.ensure(work);
    // Only a complete backup shows how much space a backup needs.
    const { items } = await rows.list(tenant.id, { status: 'complete' }, { limit: 1, offset: 0 });
    await assertDiskSpace(directory, database, items[0]);
    const { hours, gigabytes } = await deps.settings.limits();
    const backup = await insertRow(tenant, options, database);
    const began = performance.now();
    const limit = AbortSignal.timeout(hours * 3_600_000);
    const report = () => void reportSlow(tenant, backup.id, hours, work).catch((error) => work.log(messageOf(error)));
    const slow = setTimeout(report, (hours * 3_600_000) / 2).unref();
    try {
      const limited = { log: work.log, signal: AbortSignal.any([work.signal, limit]) };
      const built = await build(tenant, backup, database, deps, limited, gigabytes);
      work.log(`Packed ${(built.size / 1024 ** 2).toFixed(1)} MiB; verifying the archive`);
      const expected = { id: backup.id, sizeBytes: built.size, sha256: built.sha256 };
      await verifyArchive(join(directory, backup.file), expected, limited.signal);
      const loss = lossSince(items[0], { ...built, sizeBytes: built.size }, await deps.settings.lossPercent());
      const changes = {
        status: 'complete' as const,
        loss,
        sizeBytes: built.size,
        sha256: built.sha256,
        rowCounts: built.rowCounts,
        uncovered: built.uncovered,
        durationMs: Math.round(performance.now() - began),
        verifiedAt: clock.now(),
        remoteState: (await offsite.destination()) ? ('pending' as const) : null,
      };
      await rows.update(backup.id, changes);
      work.log('Backup verified');
      if (loss) await reportLoss(tenant, backup.id, loss, work);
      return { ...backup, ...changes };
    } catch (error) {
      const reason = limit.aborted && !work.signal.aborted ? tooSlow(hours) : error;
      await removeFiles(backup);
      await rows.update(backup.id, { status: 'failed', error: messageOf(reason) });
      work.signal.throwIfAborted();
      throw await explainDiskFull(reason, directory);
    } finally {
      clearTimeout(slow);
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
  gigabytes: number,
) {
  const parts: Part[] = [];
  const partsDirectory = workDirectory(directory, backup.id);
  await mkdir(partsDirectory, { recursive: true, mode: 0o700 });
  let found: DatabaseFindings = { contents: null, uncovered: [] };
  if (database) {
    work.log(`Dumping the database (${database.engine})`);
    const dump = database.dump({ signal: work.signal, directory: partsDirectory });
    const part = await writePart(
      partsDirectory,
      partNames[database.dumpFormat],
      bounded(dump.content, gigabytes),
      work.signal,
    );
    parts.push(part);
    found = dump.findings();
    work.log(`${shownRows(found)}, ${(part.size / 1024 ** 2).toFixed(1)} MiB packed`);
  }
  const environment = await readEnvironment(tenant.directory);
  if (environment) parts.push(await writePlainPart(partsDirectory, partNames.environment, environment));

  work.log('Copying the files');
  const writeFiles = (still: boolean) =>
    writePart(
      partsDirectory,
      partNames.files,
      bounded(
        runtime.data.read(spaceOf(tenant), {
          except: [...databaseFiles, ...restoreDirectories],
          still,
          signal: work.signal,
        }),
        gigabytes,
      ),
      work.signal,
    );
  const files = await writeFiles(false).catch((error: unknown) => {
    work.signal.throwIfAborted();
    if (isFull(error) || error instanceof TooLargeError) throw error;
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
    row_counts: found.contents && mapValues(found.contents, ({ rows }) => rows),
    checksums: mapValues(found.contents ?? {}, ({ checksum }) => checksum),
    not_covered: [...found.uncovered],
    parts,
  };
  const path = join(directory, backup.file);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const written = await writeArchive(partsDirectory, manifest, path, work.signal);
  return { ...written, rowCounts: manifest.row_counts, uncovered: database && [...found.uncovered] };
}

class TooLargeError extends Error {}

/** Passes bytes through: a sparse file costs a tenant nothing, and a backup of it takes days. @throws TooLargeError */
async function* bounded(content: AsyncIterable<Uint8Array>, gigabytes: number): AsyncGenerator<Uint8Array> {
  let left = gigabytes * 1e9;
  for await (const chunk of content) {
    left -= chunk.length;
    if (left < 0)
      throw new TooLargeError(
        `There is more to read than ${gigabytes} GB (setting backup_max_gb): remove what the tenant does not need, such as a sparse file, or raise the setting`,
      );
    yield chunk;
  }
}

const tooSlow = (hours: number): Error =>
  new Error(
    `The backup took longer than ${hours} h (setting backup_max_hours): look for large files, or raise the setting`,
  );

function shownRows({ contents }: DatabaseFindings): string {
  if (!contents) return 'The rows could not be counted, because a transaction kept its tables';
  const tables = Object.values(contents);
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return `${rows} row${rows === 1 ? '' : 's'} in ${tables.length} table${tables.length === 1 ? '' : 's'}`;
}

/** The same keys with other values; those without one are left out. */
function mapValues<From, To>(record: Record<string, From>, of: (value: From) => To | undefined): Record<string, To> {
  const entries = Object.entries(record).flatMap(([key, value]) => {
    const mapped = of(value);
    return mapped === undefined ? [] : [[key, mapped] as const];
  });
  return Object.fromEntries(entries);
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

/** Smaller tables change that much from day to day. */
const leastRows = 100;
const leastBytes = 1024 ** 2;

type Sizes = Pick<Backup, 'rowCounts' | 'sizeBytes'>;

/**
 * What a backup has lost since the one before: tables with far fewer rows, or far fewer bytes in all; null: nothing.
 * @param percent a loss of more than this counts; 0: none does
 */
export function lossSince(before: Sizes | undefined, now: Sizes, percent: number): Loss | null {
  if (!before || percent === 0) return null;
  const isLost = (was: number, is: number): boolean => is < was * (1 - percent / 100);
  const counts = now.rowCounts;
  const tables = Object.entries(counts ? (before.rowCounts ?? {}) : {}).flatMap(([table, was]) => {
    const is = counts?.[table] ?? 0;
    return was >= leastRows && isLost(was, is) ? [{ table, before: was, after: is }] : [];
  });
  const [was, is] = [before.sizeBytes ?? 0, now.sizeBytes ?? 0];
  const bytes = was >= leastBytes && isLost(was, is) ? { before: was, after: is } : null;
  return tables.length > 0 || bytes ? { tables, bytes, confirmedBy: null } : null;
}

/** A loss in one sentence. */
function lossText({ tables, bytes }: Pick<Loss, 'tables' | 'bytes'>): string {
  const shown = tables.map(({ table, before, after }) => `${table} has ${after} rows instead of ${before}`);
  const sizes = bytes ? [`the backup has ${bytes.after} bytes instead of ${bytes.before}`] : [];
  return [...shown, ...sizes].join('; ');
}
