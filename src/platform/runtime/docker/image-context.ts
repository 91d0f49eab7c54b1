import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, posix, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { archiveOf } from './archive.ts';
import { hasExceptions, type IgnoreRules, isIgnored, parseIgnoreFile } from './docker-ignore.ts';

/** Files of a build belong to root, whoever checked them out: equal commits then are equal contexts and hit the build cache. */
const root = { uid: 0, gid: 0 };

/**
 * A checkout as the tar that the engine builds from, without what its `.dockerignore` (or `<Dockerfile>.dockerignore`)
 * leaves out, and never with `.git`, which is large, changes without the code changing, and may hold credentials.
 */
export async function imageContext(checkout: string, dockerfile: string): Promise<Readable> {
  const ignoreFile =
    (await textOf(join(checkout, `${dockerfile}.dockerignore`))) ?? (await textOf(join(checkout, '.dockerignore')));
  const rules = parseIgnoreFile(ignoreFile ?? '');
  const included = new Set<string>();
  // The engine needs these two even where they are left out for COPY.
  for await (const path of walk(checkout, '', rules, new Set([posix.normalize(dockerfile), '.dockerignore'])))
    included.add(path);
  // The archive descends from the topmost directories by itself, and leaves out what is not in the set.
  const entries = [...included].filter((path) => !included.has(dirname(path)));
  return archiveOf(checkout, { entries, owner: root, ignore: (path) => !included.has(relative(checkout, path)) });
}

async function* walk(
  checkout: string,
  directory: string,
  rules: IgnoreRules,
  needed: ReadonlySet<string>,
): AsyncGenerator<string> {
  const entries = await readdir(join(checkout, directory), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
    if (path === '.git') continue;
    const ignored = isIgnored(rules, path) && !needed.has(path);
    if (!ignored) yield path;
    const below = [...needed].some((file) => file.startsWith(`${path}/`));
    if (entry.isDirectory() && (!ignored || below || hasExceptions(rules))) yield* walk(checkout, path, rules, needed);
  }
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
