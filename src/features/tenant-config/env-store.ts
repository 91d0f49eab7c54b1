import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../lib/files/atomic-file.ts';
import { open, rm } from '../../lib/files/changes.ts';

const maxBackups = 10;
/** Logos are a megabyte at most; the tenant's code can write to its directory. */
const maxReadBytes = 16 * 1024 ** 2;
const backupName = /^\.env\.\d{8}T\d{9}Z(-\d+)?\.bak$/;

/** The paths of the environment file and of the previous one's backup; null: there was no previous file. */
export interface SavedEnvFile {
  path: string;
  backup: string | null;
}

export type OnBackup = (saved: SavedEnvFile) => Promise<void>;

/**
 * Atomically writes `.env` into a tenant's directory, readable only by its owner. Keeps the previous file next to it as
 * `.env.<timestamp>.bak`, and the last ten backups. Do not call it concurrently for one directory.
 * @param onBackup called with the backup's path before the new file replaces the previous one
 */
export async function writeEnvFile(
  directory: string,
  content: string,
  now: Date,
  onBackup: OnBackup = async () => undefined,
): Promise<SavedEnvFile> {
  const path = join(directory, '.env');
  const previous = await readOwn(path);
  const backup = previous === undefined ? null : await unusedName(directory, now);
  if (backup && previous !== undefined) await writeFileAtomic(backup, previous);
  await onBackup({ path, backup });
  await writeFileAtomic(path, content);
  await removeOldBackups(directory);
  return { path, backup };
}

/** Restores the backup, or removes the written file if there was none before. */
export async function restoreEnvFile(written: SavedEnvFile): Promise<void> {
  if (written.backup === null) {
    await rm(written.path, { force: true });
    return;
  }
  const previous = await readOwn(written.backup);
  // An earlier attempt has already restored it.
  if (previous === undefined) return;
  await writeFileAtomic(written.path, previous);
  await rm(written.backup, { force: true });
}

/** The `.env` in a tenant's directory; undefined if there is none. */
export const readEnvFile = async (directory: string): Promise<string | undefined> =>
  (await readOwn(join(directory, '.env')))?.toString('utf8');

/** The content of a regular file; undefined if there is none. Links are not followed: the tenant's code may have created them. */
async function readOwn(path: string): Promise<Buffer | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      return found.isFile() && found.size <= maxReadBytes ? await file.readFile() : undefined;
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO') return undefined;
    throw error;
  }
}

async function unusedName(directory: string, now: Date): Promise<string> {
  const stamp = now.toISOString().replaceAll(/[-:.]/g, '');
  for (let number = 1; ; number += 1) {
    const path = join(directory, `.env.${stamp}${number === 1 ? '' : `-${number}`}.bak`);
    if (!(await exists(path))) return path;
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function removeOldBackups(directory: string): Promise<void> {
  const backups = (await readdir(directory)).filter((name) => backupName.test(name)).sort(byAge);
  for (const name of backups.slice(0, -maxBackups)) await rm(join(directory, name), { force: true });
}

/** By timestamp, then by number: `-10` is later than `-9`. */
const byAge = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
