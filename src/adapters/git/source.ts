import { createHmac, randomBytes } from 'node:crypto';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedLock } from '../../lib/concurrency/keyed-lock.ts';
import { mkdir, rename, rm } from '../../lib/files/changes.ts';
import type { Logger } from '../../lib/logger.ts';
import { parseRepositoryAddress, type RepositoryAddress } from './address.ts';
import {
  type CommitDetails,
  type CommitRange,
  commitFetch,
  commitsBetween,
  hasFullHistory,
  reachableCommit,
  readCommit,
  readTips,
  tipWithPrefix,
} from './commits.ts';
import { createGit, type Git } from './git.ts';
import type { HostRule } from './host-rule.ts';
import { createRemoteGit } from './remote.ts';
import { parseRemoteRefs, type RemoteRefs } from './versions.ts';

interface Work {
  signal: AbortSignal;
}

/** A commit's files on our disk. */
export interface Checkout {
  /**
   * `<repository key>-<commit>-<mark>-<instance>`: the release's key, which images are named by. Another manager on the same engine
   * or registry must not remove them, and another repository's build must not guess them, hence the mark.
   */
  key: string;
  commit: string;
  directory: string;
}

/** Tenants' code: one bare mirror a repository and one checkout a commit, both shared by all tenants. */
export interface Source {
  /** Removes incomplete checkouts and removals that a crash left. Call once, before any other use. */
  open(): Promise<void>;
  /** Lists the remote's refs. @throws AppError git_error */
  refs(address: string, signal?: AbortSignal): Promise<RemoteRefs>;
  /** Author, date and subject of the commits at the tips of these branches and tags, by commit id. @throws AppError git_error */
  commits(address: string, refs: RemoteRefs): Promise<ReadonlyMap<string, CommitDetails>>;
  /**
   * The id of the only commit that has this prefix and is reachable from a branch or tag of the repository; undefined if there
   * is none.
   * @param id hexadecimal, complete or abbreviated
   * @throws AppError git_error
   */
  findCommit(address: string, id: string, refs: RemoteRefs): Promise<string | undefined>;
  /**
   * The commits that `to` adds to `from`, and those that it lacks; undefined when one of them is not reachable from a branch or
   * tag any more.
   * @throws AppError git_error
   */
  compare(
    address: string,
    range: { from: string; to: string },
    signal?: AbortSignal,
  ): Promise<{ added: CommitRange; removed: CommitRange } | undefined>;
  /**
   * Fetches a ref's commit and checks it out, once.
   * @param ref a full name (`refs/tags/v1.0.0`, `refs/heads/main`), or the id of a commit
   * @throws AppError git_error
   */
  checkOut(address: string, ref: string, work: Work): Promise<Checkout>;
  /** Author, date and subject of a checked-out commit, without a request; undefined if it is not here any more. */
  detailsOf(checkout: Pick<Checkout, 'key' | 'commit'>): Promise<CommitDetails | undefined>;
  /** Removes all checkouts except the needed keys; returns the removed keys. */
  removeCheckoutsExcept(isNeeded: (key: string) => Promise<boolean>): Promise<string[]>;
  /** Removes the mirrors of all repositories except these and those being checked out; returns the repositories' keys. */
  removeMirrorsExcept(addresses: Iterable<string>): Promise<string[]>;
}

/** Timeout of a request for a repository's commits, in ms. */
const commitsTimeoutMs = 120_000;

interface SourceOptions {
  /** Contains mirrors and checkouts. */
  directory: string;
  /** The manager's id. */
  instance: string;
  /** SECRET_KEY. */
  secretKey: string;
  /** The manager's own environment, of which git sees only network settings (proxies, CA bundle, SSH agent). */
  host: Readonly<Record<string, string | undefined>>;
  /** Which hosts git may connect to. */
  hosts: HostRule;
  /** Gets git's output when it fails. */
  logger: Pick<Logger, 'warn'>;
}

export function createGitSource({ directory, instance, secretKey, host, hosts, logger }: SourceOptions): Source {
  const git = createGit(host, join(directory, 'known_hosts'), logger);
  const remoteGit = createRemoteGit(git, hosts);
  const mirrors = join(directory, 'mirrors');
  const checkouts = join(directory, 'checkouts');
  const perRepository = new KeyedLock();
  /** By the checkout's key; undefined: not here. */
  const details = new Map<string, CommitDetails>();
  const pathOfMirror = (key: string): string => join(mirrors, `${key}.git`);
  /** Next to the mirror, as it has commits without files: a deployment must never miss any. */
  const pathOfCommits = (key: string): string => join(mirrors, `${key}.commits.git`);

  async function repositoryAt(path: string): Promise<string> {
    await mkdir(mirrors, { recursive: true, mode: 0o700 });
    // Left by a killed git; we hold the repository's lock, so no other git works here.
    const left = (await readdir(path, { recursive: true }).catch(() => [])).filter((name) => name.endsWith('.lock'));
    for (const name of left) await rm(join(path, name), { force: true });
    // Keeps a complete one, and completes an incomplete one.
    await git(['init', '--quiet', '--bare', '--', path]);
    return path;
  }

  async function fetchCommit(repository: RepositoryAddress, mirror: string, ref: string, work: Work): Promise<string> {
    // Not under the ref's own name: a branch "feature" that the mirror kept would refuse a later "feature/one".
    const fetched = 'refs/fetched';
    const options = ['--quiet', '--depth=1', '--no-tags', '--force', '--no-write-fetch-head', '--end-of-options'];
    await remoteGit(
      repository,
      (address) => ['--git-dir', mirror, 'fetch', ...options, address, `+${ref}:${fetched}`],
      {
        signal: work.signal,
      },
    );
    const inMirror = (args: readonly string[]): Promise<string> => git(['--git-dir', mirror, ...args]);
    const peeled = await inMirror(['rev-parse', '--verify', '--quiet', '--end-of-options', `${fetched}^{commit}`]);
    const commit = peeled.trim();
    await inMirror(['update-ref', `refs/commits/${commit}`, commit]);
    return commit;
  }

  async function writeFiles(mirror: string, commit: string, target: string, signal: AbortSignal): Promise<void> {
    const aside = `${target}.partial-${randomBytes(6).toString('hex')}`;
    try {
      await mkdir(aside, { recursive: true });
      // A separate index: checkouts of one mirror don't conflict. Neither command runs hooks or filters of the repository.
      const environment = { GIT_INDEX_FILE: join(aside, '.git-index') };
      await git(['--git-dir', mirror, 'read-tree', commit], { environment, signal });
      await git(['--git-dir', mirror, '--work-tree', aside, 'checkout-index', '--all', `--prefix=${aside}/`], {
        environment,
        signal,
      });
      await rm(join(aside, '.git-index'));
      await rename(aside, target);
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  }

  /** Works in the repository's directory of commits, one at a time. */
  function withCommits<T>(
    address: string,
    work: (git: Git, fetch: (history: 'tips' | 'all') => Promise<unknown>) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const repository = parseRepositoryAddress(address);
    return perRepository.run(repository.key, async () => {
      const path = await repositoryAt(pathOfCommits(repository.key));
      const inCommits: Git = (args, options) => git(['--git-dir', path, ...args], { signal, ...options });
      return work(inCommits, async (history) => {
        const missing = (await hasFullHistory(inCommits)) ? 'new' : history;
        return remoteGit(repository, (url) => ['--git-dir', path, ...commitFetch(url, missing)], {
          signal,
          timeoutMs: commitsTimeoutMs,
        });
      });
    });
  }

  return {
    async open() {
      for (const directory of [checkouts, mirrors]) {
        const left = (await readdir(directory).catch(() => [])).filter((name) => name.includes('.partial-'));
        for (const name of left) await rm(join(directory, name), { recursive: true, force: true });
      }
    },

    async refs(address, signal) {
      const repository = parseRepositoryAddress(address);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      // Line by line: of a collected output only the end is kept, and a repository may have thousands of tags.
      const lines: string[] = [];
      await remoteGit(
        repository,
        (address) => ['ls-remote', '--symref', '--end-of-options', address, 'HEAD', 'refs/heads/*', 'refs/tags/*'],
        { signal, timeoutMs: 60_000, onLine: (line) => void lines.push(line) },
      );
      return parseRemoteRefs(lines.join('\n'));
    },

    commits: (address, { tags, branches }) =>
      withCommits(address, async (inCommits, fetch) => {
        const wanted = [...tags.values(), ...branches.values()];
        const here = await readTips(inCommits);
        if (wanted.every((commit) => here.has(commit))) return here;
        await fetch('tips');
        return readTips(inCommits);
      }),

    async findCommit(address, id, refs) {
      const tip = tipWithPrefix(id, refs);
      if (tip !== undefined) return tip;
      return withCommits(address, async (inCommits, fetch) => {
        await fetch('all');
        return reachableCommit(inCommits, id);
      });
    },

    compare: (address, { from, to }, signal) =>
      withCommits(
        address,
        async (inCommits, fetch) => {
          const bothHere = async () =>
            (await hasFullHistory(inCommits)) &&
            (await Promise.all([from, to].map((id) => reachableCommit(inCommits, id)))).every((id) => id !== undefined);
          if (!(await bothHere())) {
            await fetch('all');
            if (!(await bothHere())) return undefined;
          }
          return {
            added: await commitsBetween(inCommits, from, to),
            removed: await commitsBetween(inCommits, to, from),
          };
        },
        signal,
      ),

    async checkOut(address, ref, work) {
      const repository = parseRepositoryAddress(address);
      return perRepository.run(repository.key, async () => {
        await mkdir(checkouts, { recursive: true, mode: 0o755 });
        const mirror = await repositoryAt(pathOfMirror(repository.key));
        const commit = await fetchCommit(repository, mirror, ref, work);
        const name = `${repository.key}-${commit}`;
        const mark = createHmac('sha256', secretKey).update(`release:${name}`).digest('hex').slice(0, 24);
        const key = `${name}-${mark}-${instance}`;
        details.delete(key);
        const target = join(checkouts, key);
        if (!(await exists(target))) await writeFiles(mirror, commit, target, work.signal);
        return { key, commit, directory: target };
      });
    },

    async detailsOf({ key, commit }) {
      if (details.has(key)) return details.get(key);
      const mirror = pathOfMirror(key.split('-', 1)[0] ?? '');
      const inMirror: Git = (args, options) => git(['--git-dir', mirror, ...args], options);
      // A failure may be transient: it is not remembered.
      const found = await readCommit(inMirror, commit).catch(() => undefined);
      if (found) details.set(key, found);
      return found;
    },

    async removeCheckoutsExcept(isNeeded) {
      const removed: string[] = [];
      for (const name of await readdir(checkouts).catch(() => [])) {
        if (name.includes('.partial-') || (await isNeeded(name))) continue;
        await rm(join(checkouts, name), { recursive: true, force: true });
        removed.push(name);
      }
      return removed;
    },

    async removeMirrorsExcept(addresses) {
      const needed = new Set(Array.from(addresses, (address) => parseRepositoryAddress(address).key));
      const present = (await readdir(mirrors).catch(() => [])).flatMap(
        (name) => /^(\w+)(?:\.commits)?\.git$/.exec(name)?.[1] ?? [],
      );
      const removed: string[] = [];
      for (const key of new Set(present)) {
        if (needed.has(key) || perRepository.isBusy(key)) continue;
        await perRepository.run(key, async () => {
          for (const path of [pathOfMirror(key), pathOfCommits(key)]) {
            if (!(await exists(path))) continue;
            // Removed in one move: half a mirror would be taken for a complete one.
            const aside = `${path}.partial-${randomBytes(6).toString('hex')}`;
            await rename(path, aside);
            await rm(aside, { recursive: true, force: true });
          }
        });
        removed.push(key);
      }
      return removed;
    },
  };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
