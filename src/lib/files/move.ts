import { cp, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Moves a file or a directory to a path where nothing is, to another disk too: there it is copied whole before it gets its name, then
 * removed here. May be called again after a crash; what is not there (any more) was moved by an earlier call. Of what is copied the
 * owner becomes the manager's user.
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
  // Across disks that nothing is there is not what is told first.
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

/** Of a directory its names alone. */
async function synced(path: string): Promise<void> {
  const opened = await open(path, 'r');
  await opened.sync().finally(() => opened.close());
}
