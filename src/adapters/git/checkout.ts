import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { AppError, messageOf } from '../../lib/errors.ts';
import { mkdir, rename, rm } from '../../lib/files/changes.ts';
import type { RepositoryAddress } from './address.ts';
import type { RepositoryRules } from './address-rule.ts';
import type { Git } from './git.ts';
import { type CheckoutWork, replacePointers } from './lfs.ts';
import type { OpenLfs } from './lfs-server.ts';
import { repositoryOf, submodulesOf } from './submodules.ts';
import { entriesOf, placeOf, shown } from './tree.ts';

interface CheckoutParts {
  git: Git;
  rules: RepositoryRules;
  openLfs: OpenLfs;
  /** Fetches a submodule's commit into the mirror of the repository that is checked out. */
  fetch(repository: RepositoryAddress, commit: string): Promise<unknown>;
}

interface Place {
  repository: RepositoryAddress;
  commit: string;
  directory: string;
  /** Of the directory in the checkout, with a slash at its end; empty for the checkout itself. */
  path: string;
  depth: number;
}

const maxDepth = 5;
const maxSubmodules = 100;
/** The commit's own attributes alone; names as they are. */
const settings = ['-c', 'core.attributesFile=/dev/null', '-c', 'core.quotePath=false'];

/**
 * Writes a commit's files into a new directory, as `git clone --recurse-submodules` with Git LFS would. No hook, filter or other
 * program of the repository runs.
 * @param mirror has the commit, and gets those of submodules: what one repository may read, no other gets
 * @throws AppError git_error naming the submodule or file, insufficient_storage
 */
export async function writeCheckout(
  { git, rules, openLfs, fetch }: CheckoutParts,
  {
    repository,
    mirror,
    commit,
    target,
  }: { repository: RepositoryAddress; mirror: string; commit: string; target: string },
  work: CheckoutWork,
): Promise<void> {
  const { signal, log } = work;
  const aside = `${target}.partial-${randomBytes(6).toString('hex')}`;
  const scratch = `${aside}.work`;
  let indexes = 0;
  let submodules = 0;

  async function write({ repository, commit, directory, path, depth }: Place): Promise<void> {
    // An index for each tree: checkouts of one mirror don't conflict.
    indexes += 1;
    const environment = { GIT_INDEX_FILE: join(scratch, `index-${indexes}`) };
    // From within the directory: git reads .gitattributes relative to where it runs.
    const within = ['-C', directory, ...settings, '--git-dir', mirror, '--work-tree', directory];
    const inTree: Git = (args, options) => git([...within, ...args], { signal, environment, ...options });
    await inTree(['read-tree', commit]);
    await inTree(['checkout-index', '--all', `--prefix=${directory}/`]);
    const filtered = await entriesOf(inTree, ['100644', '100755'], otherFilters);
    if (filtered[0])
      log?.(
        `Stored content, as the filter of .gitattributes is not run: ${shown(path + filtered[0].path)} (${filtered.length} in all)`,
      );
    await replacePointers({ repository, git: inTree, directory, path }, { rules, open: openLfs, scratch }, work);
    for (const submodule of await submodulesOf(inTree)) {
      const name = path + submodule.path;
      if (submodule.isLeftOut) {
        log?.(`Submodule ${shown(name)} is left out (update = none in .gitmodules)`);
        continue;
      }
      submodules += 1;
      if (depth === maxDepth || submodules > maxSubmodules)
        throw new AppError(
          'git_error',
          `The submodule ${shown(name)} is one too many: ${maxSubmodules} are fetched, ${maxDepth} levels deep`,
        );
      const from = repositoryOf({ ...submodule, path: name }, repository, rules);
      const place = await placeOf(directory, submodule.path);
      await fetch(from, submodule.commit).catch((error: unknown) => {
        signal.throwIfAborted();
        const message = `The submodule ${shown(name)} (commit ${submodule.commit.slice(0, 12)}) cannot be fetched from ${shown(from.address)}`;
        const wayOut = 'To deploy without it, set update = none for it in .gitmodules';
        throw new AppError('git_error', `${message}: ${messageOf(error).replace(/\.$/, '')}. ${wayOut}`, {
          cause: error,
        });
      });
      log?.(`Submodule ${shown(name)}: commit ${submodule.commit} of ${shown(from.address)}`);
      await write({ repository: from, commit: submodule.commit, directory: place, path: `${name}/`, depth: depth + 1 });
    }
  }

  try {
    for (const directory of [aside, scratch]) await mkdir(directory, { recursive: true });
    await write({ repository, commit, directory: aside, path: '', depth: 0 });
    await rename(aside, target);
  } finally {
    for (const directory of [aside, scratch]) await rm(directory, { recursive: true, force: true });
  }
}

/** Files with the attribute `filter`, without those of Git LFS. */
const otherFilters = [':(top)', ':(exclude,attr:!filter)', ':(exclude,attr:-filter)', ':(exclude,attr:filter=lfs)'];
