import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, posix, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { messageOf } from '../../../../lib/errors.ts';
import { archiveOf } from '../files/archive.ts';
import { hasExceptions, type IgnoreRules, isIgnored, parseIgnoreFile } from './docker-ignore.ts';

/**
 * Files of a build belong to root, independent of who checked them out: equal commits are equal contexts and hit the build
 * cache.
 */
const root = { uid: 0, gid: 0 };
const maxIgnoreFileBytes = 256 * 1024;
const maxTurnMs = 10;

/**
 * A checkout as the tar that the engine builds from, without what its `.dockerignore` (or `<Dockerfile>.dockerignore`) ignores,
 * and always without `.git`, which is large, changes without the code changing, and may hold credentials.
 */
export async function imageContext(checkout: string, dockerfile: string, signal: AbortSignal): Promise<Readable> {
  const rules =
    (await rulesIn(checkout, `${dockerfile}.dockerignore`)) ?? (await rulesIn(checkout, '.dockerignore')) ?? [];
  const included = new Set<string>();
  // The engine needs these two even when they are ignored for COPY.
  const needed = new Set([posix.normalize(dockerfile), '.dockerignore']);
  const pause = pauses(signal);
  for await (const path of walk(checkout, '', { rules, needed, pause })) included.add(path);
  // The archive walks the top directories itself, and skips what is not in the set.
  const entries = [...included].filter((path) => !included.has(dirname(path)));
  return archiveOf(checkout, { entries, owner: root, ignore: (path) => !included.has(relative(checkout, path)) });
}

interface Walk {
  rules: IgnoreRules;
  needed: ReadonlySet<string>;
  pause(): Promise<void> | undefined;
}

async function* walk(checkout: string, directory: string, how: Walk): AsyncGenerator<string> {
  const { rules, needed } = how;
  const entries = await readdir(join(checkout, directory), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    await how.pause();
    const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
    if (path === '.git') continue;
    const ignored = isIgnored(rules, path) && !needed.has(path);
    if (!ignored) yield path;
    const below = [...needed].some((file) => file.startsWith(`${path}/`));
    if (entry.isDirectory() && (!ignored || below || hasExceptions(rules))) yield* walk(checkout, path, how);
  }
}

/** Yields to the event loop now and then: a repository can have any number of files, and of patterns for each. */
function pauses(signal: AbortSignal): Walk['pause'] {
  let since = performance.now();
  return () => {
    if (performance.now() - since < maxTurnMs) return undefined;
    return setImmediate().then(() => {
      signal.throwIfAborted();
      since = performance.now();
    });
  };
}

/**
 * The rules of an ignore file; undefined when there is none. Only a plain file of the repository is read: a link could lead to
 * any file of this machine, even an endless device.
 */
async function rulesIn(checkout: string, name: string): Promise<IgnoreRules | undefined> {
  const path = await realpath(join(checkout, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (path === undefined) return undefined;
  const { size, isFile } = await stat(path).then((found) => ({ size: found.size, isFile: found.isFile() }));
  if (!isFile || !path.startsWith(`${await realpath(checkout)}${sep}`))
    throw new Error(`${name}: must be a plain file of the repository`);
  if (size > maxIgnoreFileBytes) throw new Error(`${name}: must be at most ${maxIgnoreFileBytes / 1024} KiB`);
  try {
    return parseIgnoreFile(await readFile(path, 'utf8'));
  } catch (error) {
    throw new Error(`${name}: ${messageOf(error)}`, { cause: error });
  }
}
