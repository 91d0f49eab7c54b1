import { createWriteStream } from 'node:fs';
import { access, mkdir, open, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type BucketLocation, placeName } from '../../../adapters/object-store/object-store.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { workDirectory } from '../archive/create.ts';
import { diskFullError } from '../archive/disk-space.ts';
import { DamagedBackup } from '../archive/read-archive.ts';
import { hashing } from '../archive/write-archive.ts';
import type { Backup } from '../backup.ts';
import type { BackupDependencies } from '../dependencies.ts';
import type { BackupStore } from '../store.ts';
import { retryDelayMs } from './offsite.ts';

/** Copies of backups in a bucket. */
export interface RemoteCopies {
  /**
   * Copies a complete backup that waits for it; another call meanwhile joins the first. What fails is kept with the backup and
   * tried again later. @throws Error with the reason
   */
  upload(id: string): Promise<void>;
  /** Copies those that wait and whose time has come. */
  uploadDue(signal: AbortSignal): Promise<void>;
  /** Ends a copying under way; it begins anew at its next turn. */
  abandon(id: string): Promise<void>;
  /**
   * Sees to it that a backup's file lies here: fetched back from the bucket where it does not.
   * @throws DamagedBackup where what came is not the backup; AppError invalid_state with the reason, insufficient_storage
   */
  bringBack(backup: Backup, signal: AbortSignal): Promise<void>;
  /** Ends all copying. */
  close(): Promise<void>;
}

type Deps = Pick<BackupDependencies, 'offsite' | 'directory' | 'clock' | 'journal' | 'tenants'>;

export function createRemoteCopies(rows: BackupStore, deps: Deps): RemoteCopies {
  const { offsite, directory, clock, journal, tenants } = deps;
  const uploads = new Map<string, { done: Promise<void>; stop: AbortController }>();
  const fetches = new Map<string, Promise<void>>();

  async function copy(id: string, signal: AbortSignal): Promise<void> {
    const backup = await rows.find(id);
    const destination = await offsite.destination();
    if (backup?.remoteState !== 'pending' || backup.status !== 'complete' || !destination) return;
    const key = destination.prefix === '' ? backup.file : `${destination.prefix}/${backup.file}`;
    const { place } = destination;
    const tries = (backup.remoteTries ?? 0) + 1;
    await rows.update(id, { remoteKey: key, remotePlace: place, remoteTries: tries, remoteTriedAt: clock.now() });
    const path = join(directory, backup.file);
    try {
      await (await offsite.open(place)).upload(key, path, signal);
    } catch (error) {
      signal.throwIfAborted();
      const gone = await access(path).then(
        () => false,
        () => true,
      );
      const remoteError = gone ? 'The backup’s file is gone' : messageOf(error);
      await rows.update(id, { remoteError, ...(gone ? { remoteState: 'failed' as const } : {}) });
      const again = gone ? '' : `; tried again in ${Math.round(retryDelayMs(tries) / 60_000)} minutes`;
      await journal({
        level: 'warning',
        category: 'system',
        message: `A backup was not copied to the bucket: ${remoteError}${again}`,
        tenant: await tenants.get(backup.tenantId),
        details: { backup_id: id, tries },
      });
      throw error;
    }
    await rows.update(id, { remoteState: 'stored', remoteError: null });
  }

  function upload(id: string): Promise<void> {
    const underWay = uploads.get(id);
    if (underWay) return underWay.done;
    const stop = new AbortController();
    const done = copy(id, stop.signal).finally(() => uploads.delete(id));
    // Who began it may no longer wait.
    done.catch(() => undefined);
    uploads.set(id, { done, stop });
    return done;
  }

  async function abandon(id: string): Promise<void> {
    const underWay = uploads.get(id);
    underWay?.stop.abort(new Error('The copying was ended'));
    await underWay?.done.catch(() => undefined);
  }

  const close = async (): Promise<void> => {
    await Promise.all([...uploads.keys()].map(abandon));
  };

  async function fetchBack(backup: Backup, key: string, place: BucketLocation, signal: AbortSignal): Promise<void> {
    const aside = workDirectory(directory, `fetch-${backup.id}`);
    await mkdir(aside, { recursive: true, mode: 0o700 });
    try {
      const { bavail, bsize } = await statfs(aside);
      if (bavail * bsize < (backup.sizeBytes ?? 0))
        throw diskFullError(directory, 'it is to be fetched back from its bucket');
      const { stream, digest } = hashing();
      const file = join(aside, 'archive.tar');
      const written = createWriteStream(file, { mode: 0o600, flush: true });
      const fetching = offsite
        .open(place)
        .then((store) => pipeline(store.download(key, signal), stream, written, { signal }));
      await fetching.catch((error: unknown) => {
        signal.throwIfAborted();
        const reason = `The backup’s file is gone here and could not be fetched back: ${messageOf(error)}`;
        throw new AppError('invalid_state', reason, { cause: error });
      });
      if (digest() !== backup.sha256)
        throw new DamagedBackup(`What ${placeName(place)} holds as ${key} is damaged: its SHA-256 is another`);
      const path = join(directory, backup.file);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(file, path);
      const parent = await open(dirname(path), 'r');
      await parent.sync().finally(() => parent.close());
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  }

  return {
    upload,

    async uploadDue(signal) {
      if (!(await offsite.destination())) return;
      for (const { id, remoteTries, remoteTriedAt } of await rows.all({ status: 'complete', remoteState: 'pending' })) {
        if (signal.aborted) return;
        const due = (remoteTriedAt?.getTime() ?? 0) + retryDelayMs(remoteTries ?? 0);
        if (due > clock.now().getTime()) continue;
        const end = (): void => void abandon(id);
        signal.addEventListener('abort', end, { once: true });
        await upload(id).catch(() => undefined);
        signal.removeEventListener('abort', end);
      }
    },

    abandon,

    async bringBack(backup, signal) {
      const found = await access(join(directory, backup.file)).then(
        () => true,
        () => false,
      );
      const { remoteState, remoteKey, remotePlace } = backup;
      if (found || remoteState !== 'stored' || !remoteKey || !remotePlace) return;
      let fetching = fetches.get(backup.id);
      if (!fetching) {
        fetching = fetchBack(backup, remoteKey, remotePlace, signal).finally(() => fetches.delete(backup.id));
        fetches.set(backup.id, fetching);
      }
      await fetching;
    },

    close,
  };
}
