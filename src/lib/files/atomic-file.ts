import { randomBytes } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { mkdir, open, rename, rm } from './changes.ts';

/** The name of a temporary file before it is moved into place; no other program uses such names. */
const asideForm = /^(.+)\.tenantry-[0-9a-f]{12}\.tmp$/;
/** Files that this process is writing. */
const underWay = new Set<string>();

/**
 * Replaces a file in one move: a reader sees the old or the new content, never a part, also after a crash or on a full disk. A
 * process killed in between leaves a temporary file, which `removeCutOffWrites` removes: the owner of the directory calls that
 * at start.
 * @param mode permission bits of the new file (default 0600: most of our files are private)
 */
export async function writeFileAtomic(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const aside = resolve(dirname(path), `${basename(path)}.tenantry-${randomBytes(6).toString('hex')}.tmp`);
  underWay.add(aside);
  try {
    const file = await open(aside, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, path);
    const directory = await open(dirname(path), 'r');
    await directory.sync().finally(() => directory.close());
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  } finally {
    underWay.delete(aside);
  }
}

/**
 * Removes temporary files that killed processes' `writeFileAtomic` left in a directory, and nothing else. A missing or
 * unreadable directory is ignored.
 * @param options.depth how many levels of subdirectories to visit (default 0); links are not followed
 * @param options.of whether we write files of this name, where other managers write into the same directory
 */
export async function removeCutOffWrites(
  directory: string,
  { depth = 0, of = () => true }: { depth?: number; of?: (name: string) => boolean } = {},
): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true }).catch((): Dirent[] => [])) {
    const path = resolve(directory, entry.name);
    if (entry.isDirectory()) {
      if (depth > 0) await removeCutOffWrites(path, { depth: depth - 1, of });
      continue;
    }
    const name = asideForm.exec(entry.name)?.[1];
    if (name !== undefined && of(name) && !underWay.has(path)) await rm(path, { force: true });
  }
}
