import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import semver from 'semver';
import { type Contender, currentBootId, type LeaseRow, type LeaseTable } from '../../adapters/store/lease.ts';
import { isStoreUnavailable } from '../../adapters/store/translate-error.ts';
import { sinceBootMs } from '../../lib/concurrency/acting-deadline.ts';
import { writeFileAtomic } from '../../lib/files/atomic-file.ts';
import { type FileLock, holdFileLock } from '../../lib/files/file-lock.ts';
import { ConfigError } from '../config/config.ts';
import { dataDirectoryInUse, lockFileIn, makeDataDirectory } from '../config/data-directory.ts';

const lookEveryMs = 1_000;
/** By then a lease that is not renewed has expired. */
const expiryMs = 20_000;
/** A holder writes its token into the data directory right after it took the lease; a network file system may show it later. */
const tokenVisibleWithinMs = 10_000;

export interface WonLease {
  token: number;
  /** The data directory's lock; undefined after a takeover from a manager that hangs, which still has it. */
  lock: FileLock | undefined;
}

/**
 * Takes the lease: at once where it has no holder, where the holder gave it back, or where it ended on this machine (the lock of
 * the data directory is free). Otherwise after it expired.
 * @param place.standby wait as long as another manager renews it, and longer than it takes that one to end itself
 * @param place.onWait called with the holder's name, whenever it changes
 * @param place.onTaken called with the time before it was taken (on the clock of `sinceBootMs`)
 * @throws ConfigError where another manager holds it and this one is no standby, or can't be its standby
 */
export async function takeLease(place: {
  table: LeaseTable;
  dataDirectory: string;
  version: string;
  standby: boolean;
  onWait(holder: string): Promise<void>;
  onTaken(asked: number): void;
}): Promise<WonLease> {
  const { table, dataDirectory, version, standby, onWait, onTaken } = place;
  const lockFile = lockFileIn(dataDirectory);
  const bootId = currentBootId();
  await makeDataDirectory(dataDirectory);
  const same = sharedDirectoryCheck(dataDirectory);
  let shown: string | undefined;

  async function lockOfEnded(row: LeaseRow): Promise<FileLock | undefined> {
    const onThisMachine = row.bootId !== '' && row.bootId === bootId && (await same.isShared(row));
    return onThisMachine ? holdFileLock(lockFile) : undefined;
  }
  async function win(row: LeaseRow, held: FileLock | undefined): Promise<WonLease | undefined> {
    const lock = held ?? (await holdFileLock(lockFile));
    if (!lock && !standby) throw dataDirectoryInUse(dataDirectory);
    const contender: Contender = { holder: hostname(), version, bootId: lock ? bootId : '' };
    let token: number | undefined;
    try {
      const asked = sinceBootMs();
      token = await table.take(row.token, contender);
      if (token !== undefined) onTaken(asked);
      if (token !== undefined) await writeFileAtomic(tokenFile(dataDirectory), `${token}\n`);
    } catch (error) {
      if (token !== undefined) await table.giveBack(token);
      await lock?.release();
      throw error;
    }
    if (token !== undefined) return { token, lock };
    await lock?.release();
    return undefined;
  }

  async function look(): Promise<WonLease | undefined> {
    const row = await table.read();
    if (standby && isNewer(row.version, version)) throw newerVersion(row, version);
    const ended = await lockOfEnded(row);
    const isFree = row.holder === '' || ended !== undefined || (standby ? row.isOver : row.isExpired);
    if (isFree) return win(row, ended);
    if (!standby && performance.now() - startedAt > expiryMs) throw heldByAnother(row.holder);
    if (standby && !row.isExpired) await same.assertShared(row);
    if (standby) await table.announce(hostname());
    if (shown !== row.holder) await onWait(row.holder);
    shown = row.holder;
    return undefined;
  }

  const startedAt = performance.now();
  for (;;) {
    const won = await look().catch((error: unknown) => {
      if (!standby || !isStoreUnavailable(error)) throw error;
      return undefined;
    });
    if (won) return won;
    await sleep(lookEveryMs);
  }
}

const tokenFile = (dataDirectory: string): string => join(dataDirectory, 'manager.token');

/** Whether the holder uses this data directory too: it holds the token of the lease. */
function sharedDirectoryCheck(dataDirectory: string) {
  let differsSince: number | undefined;
  const isShared = async ({ token }: LeaseRow): Promise<boolean> =>
    (await readFile(tokenFile(dataDirectory), 'utf8').catch(() => '')).trim() === String(token);
  return {
    isShared,
    async assertShared(row: LeaseRow): Promise<void> {
      if (await isShared(row)) {
        differsSince = undefined;
        return;
      }
      differsSince ??= performance.now();
      if (performance.now() - differsSince > tokenVisibleWithinMs) throw notShared(row.holder, dataDirectory);
    },
  };
}

const isNewer = (one: string, other: string): boolean => semver.valid(one) !== null && semver.gt(one, other);

const heldByAnother = (holder: string): ConfigError =>
  new ConfigError(
    `DATABASE_URL must not be in use by another manager: the one on ${holder} uses this database. To run a second one that takes over when it fails, set STANDBY=true for both.`,
  );

const notShared = (holder: string, path: string): ConfigError =>
  new ConfigError(
    `DATA_DIR must be the directory of the active manager, on storage that both machines mount: ${path} is not the one that the manager on ${holder} uses.`,
  );

const newerVersion = ({ holder, version }: LeaseRow, own: string): ConfigError =>
  new ConfigError(
    `Version ${own} must not use this database: version ${version}${holder ? ` on ${holder}` : ''} has used it. Start that version or a newer one.`,
  );
