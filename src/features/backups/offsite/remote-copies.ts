import { access, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type BucketLocation, bucketName } from '../../../adapters/object-store/object-store.ts';
import { delayAfter } from '../../../lib/concurrency/retry.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { createWriteStream, mkdir, open, rename, rm } from '../../../lib/files/changes.ts';
import { workDirectory } from '../archive/create.ts';
import { diskFullError } from '../archive/disk-space.ts';
import { DamagedBackup } from '../archive/read-archive.ts';
import { hashing } from '../archive/write-archive.ts';
import type { BackupsDeps } from '../backup.ts';
import type { Backup, BackupStore } from '../store.ts';

const firstDelayMs = 5 * 60_000;
const maxDelayMs = 6 * 3_600_000;

/** The delay after a number of failures in a row: five minutes, doubled after each failure, at most six hours. */
export function retryDelayMs(failures: number): number {
  return failures === 0 ? 0 : delayAfter(failures, firstDelayMs, maxDelayMs);
}

export type RemoteCopies = ReturnType<typeof createRemoteCopies>;

/** Copies of backups in a bucket. */
export function createRemoteCopies(rows: BackupStore, deps: BackupsDeps) {
  const { offsite, directory, clock, writeAuditLog, tenants } = deps;
  const uploads = new Map<string, { done: Promise<void>; stop: AbortController }>();
  const fetches = new Map<string, Promise<void>>();

  async function copy(id: string, signal: AbortSignal): Promise<void> {
    const backup = await rows.find(id);
    const destination = await offsite.destination();
    if (backup?.remoteState !== 'pending' || backup.status !== 'complete' || !destination) return;
    const key = destination.prefix === '' ? backup.file : `${destination.prefix}/${backup.file}`;
    const { location } = destination;
    const tries = (backup.remoteTries ?? 0) + 1;
    await rows.update(id, { remoteKey: key, remotePlace: location, remoteTries: tries, remoteTriedAt: clock.now() });
    const path = join(directory, backup.file);
    try {
      await (await offsite.open(location)).upload(key, path, signal);
    } catch (error) {
      signal.throwIfAborted();
      const isMissing = await access(path).then(
        () => false,
        () => true,
      );
      const remoteError = isMissing ? 'The backup’s file is missing' : messageOf(error);
      await rows.update(id, { remoteError, ...(isMissing ? { remoteState: 'failed' as const } : {}) });
      const retry = isMissing ? '' : `; next attempt in ${Math.round(retryDelayMs(tries) / 60_000)} minutes`;
      await writeAuditLog({
        level: 'warning',
        category: 'system',
        topic: 'backup',
        message: `A backup was not copied to the bucket: ${remoteError}${retry}`,
        tenant: await tenants.get(backup.tenantId),
        details: { event: 'copy_failed', backup_id: id, tries, is_missing: isMissing },
      });
      throw error;
    }
    await rows.update(id, { remoteState: 'stored', remoteError: null });
  }

  /**
   * Uploads a complete backup whose copy is pending; concurrent calls share one upload. A failure is saved with the backup and
   * retried later. @throws Error with the reason
   */
  function upload(id: string): Promise<void> {
    const running = uploads.get(id);
    if (running) return running.done;
    const stop = new AbortController();
    const done = copy(id, stop.signal).finally(() => uploads.delete(id));
    // The caller may have stopped waiting.
    done.catch(() => undefined);
    uploads.set(id, { done, stop });
    return done;
  }

  /** Aborts a running upload; it stays pending. */
  async function abort(id: string): Promise<void> {
    const running = uploads.get(id);
    running?.stop.abort(new Error('The upload was aborted'));
    await running?.done.catch(() => undefined);
  }

  /** Aborts all uploads. */
  const close = async (): Promise<void> => {
    await Promise.all([...uploads.keys()].map(abort));
  };

  async function download(backup: Backup, key: string, place: BucketLocation, signal: AbortSignal): Promise<void> {
    const temporary = workDirectory(directory, `fetch-${backup.id}`);
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    try {
      const { bavail, bsize } = await statfs(temporary);
      if (bavail * bsize < (backup.sizeBytes ?? 0))
        throw diskFullError(directory, 'its file must be downloaded from the bucket');
      const { stream, digest } = hashing();
      const file = join(temporary, 'archive.tar');
      const written = createWriteStream(file, { mode: 0o600, flush: true });
      const fetching = offsite
        .open(place)
        .then((store) => pipeline(store.download(key, signal), stream, written, { signal }));
      await fetching.catch((error: unknown) => {
        signal.throwIfAborted();
        const reason = `The backup’s file is missing and could not be downloaded from the bucket: ${messageOf(error)}`;
        throw new AppError('invalid_state', reason, { cause: error });
      });
      if (digest() !== backup.sha256)
        throw new DamagedBackup(`The object ${key} in ${bucketName(place)} is damaged: its SHA-256 does not match`);
      const path = join(directory, backup.file);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(file, path);
      const parent = await open(dirname(path), 'r');
      await parent.sync().finally(() => parent.close());
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }

  return {
    upload,

    /** Uploads the pending copies that are due. */
    async uploadDue(signal: AbortSignal): Promise<void> {
      if (!(await offsite.destination())) return;
      for (const { id, remoteTries, remoteTriedAt } of await rows.all({ status: 'complete', remoteState: 'pending' })) {
        if (signal.aborted) return;
        const due = (remoteTriedAt?.getTime() ?? 0) + retryDelayMs(remoteTries ?? 0);
        if (due > clock.now().getTime()) continue;
        const onAbort = (): void => void abort(id);
        signal.addEventListener('abort', onAbort, { once: true });
        await upload(id).catch(() => undefined);
        signal.removeEventListener('abort', onAbort);
      }
    },

    abort,

    /**
     * Makes sure that a backup's file is on this disk, and downloads it from the bucket if it is missing.
     * @throws DamagedBackup if the object is not the backup; AppError invalid_state with the reason, insufficient_storage
     */
    async fetchIfMissing(backup: Backup, signal: AbortSignal): Promise<void> {
      const isPresent = await access(join(directory, backup.file)).then(
        () => true,
        () => false,
      );
      const { remoteState, remoteKey, remotePlace } = backup;
      if (isPresent || remoteState !== 'stored' || !remoteKey || !remotePlace) return;
      let fetching = fetches.get(backup.id);
      if (!fetching) {
        fetching = download(backup, remoteKey, remotePlace, signal).finally(() => fetches.delete(backup.id));
        fetches.set(backup.id, fetching);
      }
      await fetching;
    },

    close,
  };
}
