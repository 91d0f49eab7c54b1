import { isVersionTag, latestRelease, type RemoteRefs } from '../../adapters/git/versions.ts';
import { AppError } from '../../lib/errors.ts';
import type { LiveRelease } from '../tenants/tenant.ts';
import type { DeploymentInput } from './operation.ts';

/** The requested version. */
export type Wanted =
  /** The deployed version; for a first deployment the latest release, or the default branch's head if there is none. */
  | { kind: 'default' }
  | { kind: 'tag'; tag: string }
  | { kind: 'branch'; branch: string }
  /** @param named the commit as the user wrote it */
  | { kind: 'commit'; commit: string; named: string }
  /** The default branch's head. */
  | { kind: 'head' };

/** The version to deploy, as found in the repository. */
export interface Target {
  /** The tag; null for a branch or a commit. */
  version: string | null;
  /** The branch or commit that the user named; null for a tag and for a default. */
  named: string | null;
  /** A full ref name, or a commit's id. */
  ref: string;
  /** For the log. */
  label: string;
}

/** The version that a deployment's request asks for. */
export function wantedBy(input: Pick<DeploymentInput, 'target_version' | 'target_ref' | 'target_commit'>): Wanted {
  const { target_version: tag, target_ref: named, target_commit: commit } = input;
  if (tag !== null) return { kind: 'tag', tag };
  if (named === null) return { kind: 'default' };
  return commit === null ? { kind: 'branch', branch: named } : { kind: 'commit', commit, named };
}

/**
 * Finds the requested version in the repository.
 * @throws AppError not_found for a tag or branch that does not exist; git_error for an empty repository
 */
export function chooseTarget(
  refs: RemoteRefs,
  wanted: Wanted,
  deployed: Pick<LiveRelease, 'version' | 'commit' | 'ref'> | null,
): Target {
  switch (wanted.kind) {
    case 'tag':
      return tagged(refs, wanted.tag);
    case 'branch':
      if (!refs.branches.has(wanted.branch)) throw unknownRef(wanted.branch);
      return branchHead(wanted.branch, wanted.branch);
    case 'commit':
      return atCommit(wanted.commit, wanted.named);
    case 'head':
      return head(refs);
    case 'default': {
      // The branch may have new commits: without a name, the deployed commit stays.
      if (deployed?.ref != null) return atCommit(deployed.commit, deployed.ref);
      const version = deployed?.version ?? latestRelease(refs);
      return version === undefined ? head(refs) : tagged(refs, version);
    }
    default:
      return wanted satisfies never;
  }
}

/** @throws AppError not_found */
export const unknownRef = (ref: string): AppError =>
  new AppError('not_found', `The repository has no branch or commit ${ref}`);

function tagged(refs: RemoteRefs, tag: string): Target {
  if (!isVersionTag(tag) || !refs.tags.has(tag)) {
    throw new AppError('not_found', `The repository has no version ${tag}`);
  }
  return { version: tag, named: null, ref: `refs/tags/${tag}`, label: tag };
}

const branchHead = (branch: string, named: string | null): Target => ({
  version: null,
  named,
  ref: `refs/heads/${branch}`,
  label: `branch ${branch}`,
});

const atCommit = (commit: string, named: string): Target => ({ version: null, named, ref: commit, label: named });

function head({ head: found }: RemoteRefs): Target {
  if (!found) throw new AppError('git_error', 'The repository is empty: it has neither a version tag nor a branch');
  if (found.branch === 'HEAD') return { version: null, named: null, ref: 'HEAD', label: 'HEAD (no version tags)' };
  return { ...branchHead(found.branch, null), label: `${found.branch} (no version tags)` };
}
