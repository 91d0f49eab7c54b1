import { constants } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type PQueue from 'p-queue';
import { copyFile, link, mkdir, symlink } from '../../../../lib/files/changes.ts';

/** `link` fails like this when the file system, or this file's number of links, does not allow another one. */
const linkRefusals = new Set(['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

interface Directory {
  path: string;
  isLinked: boolean;
}

/**
 * Copies directories, files and symbolic links; skips everything else (sockets, pipes). After a failure, it ends when no part
 * of it works any more. @throws the first failure; the signal's reason when aborted
 */
export async function copyTree(
  from: string,
  to: string,
  options: {
    /** Whether the files below a directory (relative path) are hard-linked; all others are copied. */
    isLinked(path: string): boolean;
    /** Limits how many directories are copied at a time. */
    queue: PQueue;
    signal?: AbortSignal | undefined;
  },
): Promise<void> {
  const { isLinked, queue, signal } = options;

  async function copyDirectory(directory: Directory): Promise<Directory[]> {
    signal?.throwIfAborted();
    const entries = await readdir(join(from, directory.path), { withFileTypes: true }).catch(ignoreMissing);
    await mkdir(join(to, directory.path), { recursive: true });
    const below: Directory[] = [];
    for (const entry of entries ?? []) {
      const path = join(directory.path, entry.name);
      const [source, target] = [join(from, path), join(to, path)];
      if (entry.isDirectory()) below.push({ path, isLinked: directory.isLinked || isLinked(path) });
      // A unit that still runs in the checkout may remove a file after it was listed.
      else if (entry.isSymbolicLink()) await copyLink(from, source, target).catch(ignoreMissing);
      else if (entry.isFile()) await (directory.isLinked ? linkFile : copy)(source, target).catch(ignoreMissing);
    }
    return below;
  }

  for (let level: Directory[] = [{ path: '', isLinked: false }]; level.length > 0; ) {
    const outcomes = await Promise.allSettled(level.map((directory) => queue.add(() => copyDirectory(directory))));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    level = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  }
}

/** Shares the blocks until either is written to, if the file system can (Btrfs, XFS, APFS). */
const copy = (source: string, target: string): Promise<void> => copyFile(source, target, constants.COPYFILE_FICLONE);

async function linkFile(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    if (!linkRefusals.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await copy(source, target);
  }
}

/** A link to a path inside the tree leads to the same file in the copy. */
async function copyLink(root: string, source: string, target: string): Promise<void> {
  const to = await readlink(source);
  await symlink(to.startsWith(root + sep) ? relative(dirname(source), to) : to, target);
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
