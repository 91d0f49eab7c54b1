import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, posix, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { runTask } from '../../../../lib/workers/worker-task.ts';
import { archiveOf } from './archive.ts';
import type { NeededImage } from './dockerfile-images.ts';

/**
 * Files of a build belong to root, independent of who checked them out: equal commits are equal contexts and hit the build
 * cache.
 */
const root = { uid: 0, gid: 0 };
const maxFileBytes = 256 * 1024;
const entry = new URL('./image-context-worker.ts', import.meta.url);

export interface ContextTask {
  checkout: string;
  /** Its text; undefined: it is missing, which the build reports. */
  dockerfile: string | undefined;
  target: string | undefined;
  ignore: PlainFile | undefined;
  /** The engine needs these even when they are ignored for COPY. */
  needed: string[];
}

/** Messages instead of errors: only an AppError crosses the thread boundary unchanged. */
export type ContextFiles = { included: string[]; images: NeededImage[] } | { problem: string };

interface PlainFile {
  name: string;
  text: string;
}

/** What an image is built from. */
interface ImageContext {
  /** The images that the Dockerfile names. */
  images: NeededImage[];
  /** The files as a tar, from the beginning with each call. */
  open(): Readable;
}

/**
 * A checkout as the tar that the engine builds from, without what its `.dockerignore` (or `<Dockerfile>.dockerignore`) ignores,
 * and always without `.git`, which is large, changes without the code changing, and may hold credentials. The files are chosen
 * and the Dockerfile is read in a worker thread: the library makes regular expressions of the repository's patterns, which can take
 * years to match.
 */
export async function imageContext(
  checkout: string,
  { dockerfile, target }: { dockerfile: string; target?: string | undefined },
  signal: AbortSignal,
  processorMs = 60_000,
): Promise<ImageContext> {
  const ignore =
    (await plainFile(checkout, `${dockerfile}.dockerignore`)) ?? (await plainFile(checkout, '.dockerignore'));
  const text = (await plainFile(checkout, dockerfile))?.text;
  const needed = [posix.normalize(dockerfile), '.dockerignore'];
  const task = { checkout, dockerfile: text, target, ignore, needed };
  const files = await runTask<ContextTask, never, ContextFiles>(entry, task, {
    signal,
    heapMb: 512,
    processorMs,
    timedOut: () =>
      new Error(
        `${ignore?.name ?? 'The build context'}: took more than ${processorMs / 1000} s of processor time to choose the files`,
      ),
    outOfMemory: () => new Error('The build context has too many files'),
  });
  if ('problem' in files) throw new Error(files.problem);
  const included = new Set(files.included);
  // The archive walks the top directories itself, and skips what is not in the set.
  const entries = files.included.filter((path) => !included.has(dirname(path)));
  const options = { entries, owner: root, ignore: (path: string) => !included.has(relative(checkout, path)) };
  return { images: files.images, open: () => archiveOf(checkout, options) };
}

/**
 * A Dockerfile or ignore file; undefined when there is none. Only a plain file of the repository is read: a link could lead to any file of
 * this machine, even an endless device.
 */
async function plainFile(checkout: string, name: string): Promise<PlainFile | undefined> {
  const path = await realpath(join(checkout, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (path === undefined) return undefined;
  const found = await stat(path);
  if (!found.isFile() || !path.startsWith(`${await realpath(checkout)}${sep}`))
    throw new Error(`${name}: must be a plain file of the repository`);
  if (found.size > maxFileBytes) throw new Error(`${name}: must be at most ${maxFileBytes / 1024} KiB`);
  return { name, text: await readFile(path, 'utf8') };
}
