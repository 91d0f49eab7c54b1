import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, posix, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { runTask } from '../../../../lib/workers/worker-task.ts';
import { archiveOf } from './archive.ts';

/**
 * Files of a build belong to root, independent of who checked them out: equal commits are equal contexts and hit the build
 * cache.
 */
const root = { uid: 0, gid: 0 };
const maxIgnoreFileBytes = 256 * 1024;
const entry = new URL('./image-context-worker.ts', import.meta.url);

/** The ignore file of a checkout, by its name. */
export interface ContextTask {
  checkout: string;
  ignore: { name: string; text: string } | undefined;
  /** The engine needs these even when they are ignored for COPY. */
  needed: string[];
}

/** Messages instead of errors: only an AppError crosses the thread boundary unchanged. */
export type ContextFiles = { included: string[] } | { problem: string };

/**
 * A checkout as the tar that the engine builds from, without what its `.dockerignore` (or `<Dockerfile>.dockerignore`) ignores,
 * and always without `.git`, which is large, changes without the code changing, and may hold credentials. The files are chosen
 * in a worker thread: the library makes regular expressions of the repository's patterns, which can take years to match.
 */
export async function imageContext(
  checkout: string,
  dockerfile: string,
  signal: AbortSignal,
  timeoutMs = 60_000,
): Promise<Readable> {
  const ignore =
    (await ignoreFile(checkout, `${dockerfile}.dockerignore`)) ?? (await ignoreFile(checkout, '.dockerignore'));
  const task = { checkout, ignore, needed: [posix.normalize(dockerfile), '.dockerignore'] };
  const files = await runTask<ContextTask, never, ContextFiles>(entry, task, {
    signal,
    heapMb: 512,
    timeoutMs,
    timedOut: () =>
      new Error(`${ignore?.name ?? 'The build context'}: took more than ${timeoutMs / 1000} s to choose the files`),
    outOfMemory: () => new Error('The build context has too many files'),
  });
  if ('problem' in files) throw new Error(files.problem);
  const included = new Set(files.included);
  // The archive walks the top directories itself, and skips what is not in the set.
  const entries = files.included.filter((path) => !included.has(dirname(path)));
  return archiveOf(checkout, { entries, owner: root, ignore: (path) => !included.has(relative(checkout, path)) });
}

/**
 * An ignore file; undefined when there is none. Only a plain file of the repository is read: a link could lead to any file of
 * this machine, even an endless device.
 */
async function ignoreFile(checkout: string, name: string): Promise<ContextTask['ignore']> {
  const path = await realpath(join(checkout, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (path === undefined) return undefined;
  const found = await stat(path);
  if (!found.isFile() || !path.startsWith(`${await realpath(checkout)}${sep}`))
    throw new Error(`${name}: must be a plain file of the repository`);
  if (found.size > maxIgnoreFileBytes) throw new Error(`${name}: must be at most ${maxIgnoreFileBytes / 1024} KiB`);
  return { name, text: await readFile(path, 'utf8') };
}
