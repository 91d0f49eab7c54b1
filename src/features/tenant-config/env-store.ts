import { constants } from 'node:fs';
import { access, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../lib/files/atomic-file.ts';

const keptBackups = 10;
const backupName = /^\.env\.\d{8}T\d{9}Z(-\d+)?\.bak$/;

/** The environment file's path, and where the one before is kept; null where there was none. */
export interface SavedEnvFile {
  path: string;
  backup: string | null;
}

export type OnBackup = (kept: SavedEnvFile) => Promise<void>;

/**
 * Writes `.env` into a tenant's directory, readable for its owner alone, in one move; the previous one is kept beside it as
 * `.env.<timestamp>.bak`, the last ten of them. Call it for one directory at a time.
 * @param onKept told where the previous one is kept before the new one takes its place, to be written down
 */
export async function writeEnvFile(
  directory: string,
  content: string,
  now: Date,
  onKept: OnBackup = async () => undefined,
): Promise<SavedEnvFile> {
  const path = join(directory, '.env');
  const previous = await readOwn(path);
  const backup = previous === undefined ? null : await freeName(directory, now);
  if (backup && previous !== undefined) await writeFileAtomic(backup, previous);
  await onKept({ path, backup });
  await writeFileAtomic(path, content);
  await removeOldBackups(directory);
  return { path, backup };
}

/** Puts the kept file back in place of the one written; removes that where there was none before. */
export async function restoreEnvFile(written: SavedEnvFile): Promise<void> {
  if (written.backup === null) {
    await rm(written.path, { force: true });
    return;
  }
  const previous = await readOwn(written.backup);
  // Put back already by an earlier try.
  if (previous === undefined) return;
  await writeFileAtomic(written.path, previous);
  await rm(written.backup, { force: true });
}

/** The content of a plain file; undefined where there is none. A link is not followed: the tenant's code could have put it there. */
async function readOwn(path: string): Promise<Buffer | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return (await file.stat()).isFile() ? await file.readFile() : undefined;
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO') return undefined;
    throw error;
  }
}

async function freeName(directory: string, now: Date): Promise<string> {
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
  for (const name of backups.slice(0, -keptBackups)) await rm(join(directory, name), { force: true });
}

/** By timestamp, then by number: `-10` is later than `-9`. */
const byAge = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
