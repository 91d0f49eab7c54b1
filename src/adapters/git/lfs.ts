import { createReadStream } from 'node:fs';
import { lstat, readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mapConcurrently } from '../../lib/concurrency/map-concurrently.ts';
import { AppError } from '../../lib/errors.ts';
import { chmod, copyFile, rename } from '../../lib/files/changes.ts';
import { OutboundError } from '../../lib/outbound-http/outbound-error.ts';
import { isLocalAddress, parseRepositoryAddress, type RepositoryAddress } from './address.ts';
import { type RepositoryRules, repositoryProblem } from './address-rule.ts';
import type { Git } from './git.ts';
import { type LfsObject, type LfsServer, type OpenLfs, saveObject } from './lfs-server.ts';
import { originOf, overHttps } from './submodules.ts';
import { entriesOf, placeOf, readConfig, shown } from './tree.ts';

/** Files of a commit on the disk. */
export interface WrittenTree {
  repository: RepositoryAddress;
  /** Works in the directory with the tree's index. */
  git: Git;
  directory: string;
  /** Of the directory in the checkout, for messages. */
  path: string;
}

/** Bounds and progress of a checkout. */
export interface CheckoutWork {
  signal: AbortSignal;
  log?(line: string): void;
  /** Room that must be left on the disk. */
  keepFreeBytes?: number;
}

interface Pointer extends LfsObject {
  /** Of the files that have this content, in the checkout. */
  files: { path: string; place: string; mode: number }[];
}

/** Pointers are shorter (Git LFS specification). */
const pointerBytes = 1_024;
const maxObjects = 20_000;
const batchSize = 100;
const firstLine = /^version https:\/\/(?:git-lfs|hawser)\.github\.com\/spec\/v1\r?\n/;
const complete =
  /^version https:\/\/(?:git-lfs|hawser)\.github\.com\/spec\/v1\r?\noid sha256:([0-9a-f]{64})\r?\nsize (\d{1,15})\r?\n?$/;
const wayOut =
  'Name the LFS server as lfs.url in .lfsconfig, commit the files without LFS, or keep their pointers with lfs.fetchexclude there';

/**
 * Replaces the pointers of Git LFS by the files they are for, as git-lfs does: where the attribute is `filter=lfs`, and
 * .lfsconfig does not exclude them. A content takes its place when it is the one of its pointer.
 * @param scratch a directory for unfinished files, on the same disk
 * @throws AppError git_error, insufficient_storage
 */
export async function replacePointers(
  tree: WrittenTree,
  { rules, open, scratch }: { rules: RepositoryRules; open: OpenLfs; scratch: string },
  work: CheckoutWork,
): Promise<void> {
  const config = new Map(await readConfig(tree.git, '.lfsconfig'));
  const pointers = await pointersIn(tree, config);
  if (pointers.length === 0) return;
  const { signal } = work;
  const files = pointers.flatMap((pointer) => pointer.files.map(() => pointer.size));
  const bytes = files.reduce((sum, size) => sum + size, 0);
  if (pointers.length > maxObjects) throw failed(pointers, `there are more than ${maxObjects}`);
  const { bavail, bsize } = await statfs(scratch);
  if (bytes + (work.keepFreeBytes ?? 0) > bavail * bsize)
    throw new AppError(
      'insufficient_storage',
      `Not enough disk space for ${namesOf(pointers)} (Git LFS): ${Math.ceil(bytes / 1024 ** 2)} MiB are needed`,
    );

  async function each(
    some: readonly Pointer[],
    save: (pointer: Pointer, file: string) => Promise<void>,
  ): Promise<void> {
    await mapConcurrently(some, 3, async (pointer) => {
      const file = join(scratch, pointer.oid);
      await naming([pointer], () => save(pointer, file));
      await putInPlace(pointer, file);
    });
  }
  const server = await naming(pointers, async () => serverOf(tree.repository, config.get('lfs.url'), rules));
  if (server === 'local') {
    await each(pointers, async (pointer, file) =>
      saveObject(createReadStream(await storedAt(tree.repository, pointer)), pointer, file, signal),
    );
  } else {
    await using client = await open(server, signal);
    for (let start = 0; start < pointers.length; start += batchSize) {
      const some = pointers.slice(start, start + batchSize);
      const found = await naming(some, () => client.find(some));
      await each(some, (pointer, file) => client.download(pointer, found, file));
    }
  }
  const from = server === 'local' ? 'the repository' : shown(server.address);
  work.log?.(
    `Git LFS: ${files.length} ${files.length === 1 ? 'file' : 'files'} of ${bytes} bytes in all, from ${from}`,
  );
}

async function pointersIn(tree: WrittenTree, config: ReadonlyMap<string, string>): Promise<Pointer[]> {
  const found = new Map<string, Pointer>();
  // Patterns as in .gitignore: a file or a directory, anywhere unless there is a slash.
  const patterns = (key: string, magic: string): string[] =>
    (config.get(key) ?? '')
      .split(',')
      .map((pattern) => pattern.trim().replace(/\/$/, ''))
      .filter((pattern) => pattern !== '')
      .map((pattern) => (pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`))
      .flatMap((pattern) => [pattern, `${pattern}/**`].map((path) => `:(${magic},glob)${path}`));
  const included = patterns('lfs.fetchinclude', 'attr:filter=lfs');
  const paths = [
    ...(included.length > 0 ? included : [':(attr:filter=lfs)']),
    ...patterns('lfs.fetchexclude', 'exclude'),
  ];
  for (const { path } of await entriesOf(tree.git, ['100644', '100755'], paths)) {
    const place = await placeOf(tree.directory, path);
    const { size: length, mode } = await lstat(place);
    if (length >= pointerBytes) continue;
    const text = await readFile(place, 'utf8');
    if (!firstLine.test(text)) continue;
    const [, oid = '', digits] = complete.exec(text) ?? [];
    const size = Number(digits);
    const pointer = found.get(oid) ?? { oid, size, files: [] };
    pointer.files.push({ path: tree.path + path, place, mode: mode & 0o777 });
    if (digits === undefined || pointer.size !== size) throw failed([pointer], 'its pointer is not valid');
    found.set(oid, pointer);
  }
  return [...found.values()];
}

/** The LFS server of a repository. .lfsconfig is the tenant's text: its address gets credentials on the repository's host only. */
function serverOf(repository: RepositoryAddress, url: string | undefined, rules: RepositoryRules): LfsServer | 'local' {
  if (url !== undefined) {
    const web = /^https?:\/\//i.test(url) ? undefined : 'must be an https address';
    const problem = web ?? repositoryProblem(`${url}/objects/batch`, rules);
    if (problem !== undefined) throw new AppError('git_error', `lfs.url (${shown(url)}) ${problem}`);
    const { address, credentials } = parseRepositoryAddress(url);
    const isOwn = originOf(address) === originOf(repository.address);
    return { address, credentials: credentials ?? (isOwn ? repository.credentials : null) };
  }
  if (isLocalAddress(repository.address)) return 'local';
  const { credentials } = repository;
  const address = /^https?:/i.test(repository.address) ? repository.address : overHttps(repository.address);
  if (address === undefined) throw new AppError('git_error', 'an ssh address does not name an LFS server');
  return { address: `${address.replace(/\/$/, '').replace(/(?:\.git)?$/, '.git')}/info/lfs`, credentials };
}

/** The content's file in a local repository. */
async function storedAt({ address }: RepositoryAddress, { oid }: LfsObject): Promise<string> {
  const root = address.startsWith('file:') ? fileURLToPath(address) : address;
  for (const store of ['lfs', '.git/lfs']) {
    const file = join(root, store, 'objects', oid.slice(0, 2), oid.slice(2, 4), oid);
    if ((await stat(file).catch(() => undefined))?.isFile()) return file;
  }
  throw new AppError('git_error', 'the repository does not have the content');
}

/** Moves a content over its pointers, which keep their modes. */
async function putInPlace({ files }: Pointer, file: string): Promise<void> {
  for (const [index, { place, mode }] of files.entries()) {
    const from = index === files.length - 1 ? file : `${file}-copy`;
    if (from !== file) await copyFile(file, from);
    await chmod(from, mode);
    await rename(from, place);
  }
}

/** Names the files in the failures of servers, and the way out. */
async function naming<T>(pointers: readonly Pointer[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError || error instanceof OutboundError) throw failed(pointers, error.message, error);
    throw error;
  }
}

const failed = (pointers: readonly Pointer[], reason: string, cause?: unknown): AppError =>
  new AppError('git_error', `${namesOf(pointers)} cannot be fetched by Git LFS: ${reason}. ${wayOut}`, { cause });

function namesOf(pointers: readonly Pointer[]): string {
  const paths = pointers.flatMap(({ files }) => files.map(({ path }) => shown(path)));
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : '';
  return paths.slice(0, 3).join(', ') + more;
}
