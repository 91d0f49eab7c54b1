import { AppError } from '../../kernel/errors.ts';
import { isVersionTag, latestRelease, type RemoteRefs } from '../../platform/source/versions.ts';

/** What is to be deployed: a tag, or the default branch's head where `version` is null. */
export interface Target {
  version: string | null;
  ref: string;
}

/**
 * Which version a deployment means: the one named; else the one deployed; else the latest release tag; else the default
 * branch's head.
 * @throws AppError not_found for a version that is no tag; git_error for an empty repository
 */
export function chooseTarget(refs: RemoteRefs, asked: string | null, deployed: string | null): Target {
  const version = asked ?? deployed ?? latestRelease(refs);
  if (version !== undefined && version !== null) {
    if (!isVersionTag(version) || !refs.tags.has(version)) {
      throw new AppError('not_found', `The repository has no version ${version}`);
    }
    return { version, ref: `refs/tags/${version}` };
  }
  if (!refs.head) throw new AppError('git_error', 'The repository is empty: it has neither a version tag nor a branch');
  return { version: null, ref: refs.head.branch === 'HEAD' ? 'HEAD' : `refs/heads/${refs.head.branch}` };
}
