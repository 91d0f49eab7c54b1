import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { cp, open, rename, rm } from './changes.ts';

/**
 * Moves a file or a directory to a free path, to another disk too: there it is copied completely before it gets its name, then
 * removed here. Safe to repeat after a crash: a missing source was moved by an earlier call. Copies belong to the manager's
 * user.
 */
export async function move(from: string, to: string): Promise<void> {
  const across = await rename(from, to).then(
    () => false,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      if (error.code !== 'EXDEV') throw error;
      return true;
    },
  );
  // Across disks, `rename` does not report first that the target exists.
  if (!across || !(await isThere(from))) return;
  if (!(await isThere(to))) await copyWhole(from, to);
  await rm(from, { recursive: true, force: true });
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

async function copyWhole(from: string, to: string): Promise<void> {
  const aside = `${to}.moving`;
  await rm(aside, { recursive: true, force: true });
  await cp(from, aside, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  await synced(aside);
  await rename(aside, to);
  await synced(dirname(to));
}

/** For a directory only the names. */
async function synced(path: string): Promise<void> {
  const opened = await open(path, 'r');
  await opened.sync().finally(() => opened.close());
}
