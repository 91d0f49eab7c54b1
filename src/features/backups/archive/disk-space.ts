import { mkdir, statfs } from 'node:fs/promises';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { isDiskFull } from '../../../lib/files/disk-full-error.ts';
import type { Backup } from '../backup.ts';
import type { BackupDatabase } from '../dependencies.ts';

const mebibyte = 1024 ** 2;
/** For manifest, environment and what grows meanwhile. */
const margin = 16 * mebibyte;

/**
 * Bytes a backup takes while it is made: its parts and the file they are packed into stand side by side. Statements shrink to
 * less than half; a SQLite file also stands there once as it is.
 * @param last the last one that is complete
 */
export function neededBytes(databaseBytes: number, format: 'sql' | 'sqlite' | null, last: Backup | undefined): number {
  const fromDatabase = format === 'sqlite' ? 2 * databaseBytes : databaseBytes;
  return Math.max(fromDatabase, 2 * (last?.sizeBytes ?? 0)) + margin;
}

/** @throws AppError insufficient_storage saying how much is missing */
export async function assertDiskSpace(directory: string, database: BackupDatabase | null, last: Backup | undefined) {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const check = await database?.check({ timeoutMs: 5_000 });
  const needed = neededBytes((check?.size_mb ?? 0) * mebibyte, database?.dumpFormat ?? null, last);
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  if (free >= needed) return;
  throw diskFullError(directory, `${Math.ceil((needed - free) / mebibyte)} MiB are missing`);
}

export const diskFullError = (directory: string, detail: string): AppError =>
  new AppError('insufficient_storage', `Not enough room for a backup in ${directory}: ${detail}`);

/** Whether a disk had no room for what was written. */
export const isFull = (error: unknown): boolean =>
  isDiskFull(error) || /SQLITE_FULL|disk is full/.test(messageOf(error));
