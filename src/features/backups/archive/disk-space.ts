import { statfs } from 'node:fs/promises';
import type { BoundDatabase, DatabaseKind } from '../../../adapters/databases/tenant-database.ts';
import type { Runtime } from '../../../adapters/runtimes/runtime.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { mkdir } from '../../../lib/files/changes.ts';
import { isDiskFull } from '../../../lib/files/disk-full-error.ts';
import type { Backup } from '../store.ts';
import { type Part, partNames } from './manifest.ts';

const mebibyte = 1024 ** 2;
/** For the manifest, the environment and data that grows during the backup. */
const margin = 16 * mebibyte;

/**
 * Bytes that a backup needs while it is made: its parts and the archive exist at the same time. SQL compresses to less than
 * half; a SQLite file also exists once uncompressed.
 * @param last the last complete backup
 */
export function neededBytes(
  databaseBytes: number,
  format: BoundDatabase['dumpFormat'] | null,
  last: Backup | undefined,
): number {
  const fromDatabase = format === 'sqlite' ? 2 * databaseBytes : databaseBytes;
  return Math.max(fromDatabase, 2 * (last?.sizeBytes ?? 0)) + margin;
}

/** What a compressed part of a backup may take when it is unpacked, as a multiple; files that are compressed already take less. */
const unpacked = 3;

/**
 * Asks for room for a second copy of a tenant's data: of what is there, or of a backup where that is larger. A shared database server
 * has a disk of its own.
 * @throws AppError insufficient_storage with the missing space
 */
export async function assertRoomForCopy(
  runtime: Pick<Runtime, 'freeSpace'>,
  database: Pick<BoundDatabase, 'check'> | null,
  kind: DatabaseKind | null,
  parts: readonly Part[] = [],
): Promise<void> {
  const sizeOf = (name: string): number => (parts.find((part) => part.name === name)?.size ?? 0) * unpacked;
  const check = kind === 'mariadb-shared' ? undefined : await database?.check({ timeoutMs: 5_000 });
  const inBackup = kind === 'mariadb-shared' ? 0 : sizeOf(partNames.sql) + sizeOf(partNames.sqlite);
  const needed = Math.max((check?.size_mb ?? 0) * mebibyte, inBackup) + sizeOf(partNames.files) + margin;
  for (const { bytes, place } of await runtime.freeSpace()) {
    if (bytes >= needed) continue;
    const missing = Math.ceil((needed - bytes) / mebibyte);
    throw new AppError(
      'insufficient_storage',
      `Not enough disk space for a second copy of the data in ${place}: free at least ${missing} MiB more`,
    );
  }
}

/** @throws AppError insufficient_storage with the missing space */
export async function assertDiskSpace(
  directory: string,
  database: Pick<BoundDatabase, 'check' | 'dumpFormat'> | null,
  last: Backup | undefined,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const check = await database?.check({ timeoutMs: 5_000 });
  const needed = neededBytes((check?.size_mb ?? 0) * mebibyte, database?.dumpFormat ?? null, last);
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  if (free >= needed) return;
  throw diskFullError(directory, `free at least ${Math.ceil((needed - free) / mebibyte)} MiB more`);
}

export const diskFullError = (directory: string, detail: string): AppError =>
  new AppError('insufficient_storage', `Not enough disk space for a backup in ${directory}: ${detail}`);

/** Whether a write failed because a disk is full. */
export const isFull = (error: unknown): boolean =>
  isDiskFull(error) || /SQLITE_FULL|disk is full/.test(messageOf(error));
