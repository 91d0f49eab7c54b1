import { createHmac, randomBytes } from 'node:crypto';
import { access, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { KeyedLock } from '../../lib/concurrency/keyed-lock.ts';
import { AppError } from '../../lib/errors.ts';
import { mkdir, rename, rm } from '../../lib/files/changes.ts';
import type { Logger } from '../../lib/logger.ts';
import { parseRepositoryAddress, type RepositoryAddress } from './address.ts';
import { writeCheckout } from './checkout.ts';
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
import { createGit, type Git, GitFailure } from './git.ts';
import type { HostRule } from './host-rule.ts';
import type { CheckoutWork } from './lfs.ts';
import { createLfs } from './lfs-server.ts';
import { createRemoteGit } from './remote.ts';
import { parseRemoteRefs, type RemoteRefs } from './versions.ts';

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
   * Fetches a ref's commit and checks it out, once, with its submodules and the files of Git LFS.
   * @param ref a full name (`refs/tags/v1.0.0`, `refs/heads/main`), or the id of a commit
   * @throws AppError git_error, insufficient_storage
   */
  checkOut(address: string, ref: string, work: CheckoutWork): Promise<Checkout>;
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
  /** Whether a local repository's submodules may be local repositories, too. */
  allowLocal?: boolean;
  /** Gets git's output when it fails. */
  logger: Pick<Logger, 'warn'>;
}

export function createGitSource({
  directory,
  instance,
  secretKey,
  host,
  hosts,
  allowLocal = false,
  logger,
}: SourceOptions): Source {
  const git = createGit(host, join(directory, 'known_hosts'), logger);
  const remoteGit = createRemoteGit(git, hosts);
  const rules = { allowLocal, hosts };
  const openLfs = createLfs(hosts, host.GIT_SSL_CAINFO);
  const mirrors = resolve(directory, 'mirrors');
  const checkouts = resolve(directory, 'checkouts');
  // Two: a checkout may wait for a slow server while versions are listed.
  const perMirror = new KeyedLock();
  const perCommits = new KeyedLock();
  /** By the checkout's key; undefined: not here. */
  const details = new Map<string, CommitDetails>();
  const pathOfMirror = (key: string): string => join(mirrors, `${key}.git`);
  /** Next to the mirror, as it has commits without files: a deployment must never miss any. */
  const pathOfCommits = (key: string): string => join(mirrors, `${key}.commits.git`);

  async function repositoryAt(path: string): Promise<string> {
    await mkdir(mirrors, { recursive: true, mode: 0o700 });
    // Left by a killed git; we hold its lock, so no other git works here.
    const left = (await readdir(path, { recursive: true }).catch(() => [])).filter((name) => name.endsWith('.lock'));
    for (const name of left) await rm(join(path, name), { force: true });
    // Keeps a complete one, and completes an incomplete one.
    await git(['init', '--quiet', '--bare', '--', path]);
    return path;
  }

  async function fetchCommit(
    repository: RepositoryAddress,
    mirror: string,
    ref: string,
    work: Pick<CheckoutWork, 'signal'>,
  ): Promise<string> {
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

  /** A submodule's commit, into the mirror of the repository that names it. */
  async function fetchSubmodule(
    repository: RepositoryAddress,
    mirror: string,
    id: string,
    work: Pick<CheckoutWork, 'signal'>,
  ): Promise<void> {
    try {
      await fetchCommit(repository, mirror, id, work);
    } catch (error) {
      if (!(error instanceof GitFailure) || !/unadvertised object|not our ref/.test(error.printed)) throw error;
      // Such a server sends only what branches and tags lead to.
      const refs = ['heads', 'tags'].map((kind) => `+refs/${kind}/*:refs/submodules/${id}/${kind}/*`);
      const options = ['--quiet', '--prune', '--no-tags', '--no-write-fetch-head', '--end-of-options'];
      await remoteGit(repository, (address) => ['--git-dir', mirror, 'fetch', ...options, address, ...refs], work);
      await git(['--git-dir', mirror, 'update-ref', `refs/commits/${id}`, id]).catch((missing: unknown) => {
        throw missing instanceof GitFailure ? new AppError('git_error', 'That repository does not have it') : missing;
      });
    }
  }

  /** Works in the repository's directory of commits, one at a time. */
  function withCommits<T>(
    address: string,
    work: (git: Git, fetch: (history: 'tips' | 'all') => Promise<unknown>) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const repository = parseRepositoryAddress(address);
    return perCommits.run(repository.key, async () => {
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
      return perMirror.run(repository.key, async () => {
        await mkdir(checkouts, { recursive: true, mode: 0o755 });
        const mirror = await repositoryAt(pathOfMirror(repository.key));
        const commit = await fetchCommit(repository, mirror, ref, work);
        const name = `${repository.key}-${commit}`;
        const mark = createHmac('sha256', secretKey).update(`release:${name}`).digest('hex').slice(0, 24);
        const key = `${name}-${mark}-${instance}`;
        details.delete(key);
        const target = join(checkouts, key);
        if (!(await exists(target))) {
          const fetch = (from: RepositoryAddress, id: string) => fetchSubmodule(from, mirror, id, work);
          await writeCheckout({ git, rules, openLfs, fetch }, { repository, mirror, commit, target }, work);
        }
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
        if (needed.has(key) || perMirror.isBusy(key) || perCommits.isBusy(key)) continue;
        await Promise.all([
          perMirror.run(key, () => removeMirror(pathOfMirror(key))),
          perCommits.run(key, () => removeMirror(pathOfCommits(key))),
        ]);
        removed.push(key);
      }
      return removed;
    },
  };
}

/** In one move: half a mirror would be taken for a complete one. */
async function removeMirror(path: string): Promise<void> {
  if (!(await exists(path))) return;
  const aside = `${path}.partial-${randomBytes(6).toString('hex')}`;
  await rename(path, aside);
  await rm(aside, { recursive: true, force: true });
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
