import { isOlderVersion, isVersionTag, latestRelease, type RemoteRefs } from '../../../adapters/git/versions.ts';
import { AppError } from '../../../lib/errors.ts';

type Refs = Pick<RemoteRefs, 'tags' | 'head'>;

/** A version of the tenant application: its tag, null for a branch's head, and the commit that it stands for. A moved tag is another version. */
export interface Version {
  version: string | null;
  commit: string;
}

/** The latest release; the default branch's head for a tenant that never had a tag, of a repository without releases. */
export function latestVersion(refs: Refs, deployed: Version | null): Version | undefined {
  const tag = latestRelease(refs);
  if (tag !== undefined) return { version: tag, commit: refs.tags.get(tag) ?? '' };
  if (deployed?.version || !refs.head) return undefined;
  return { version: null, commit: refs.head.commit };
}

/** Whether a version goes forward from what is deployed; the same tag at another commit does, too. */
export function isNewer(target: Version, deployed: Version): boolean {
  if (target.version === deployed.version) return target.commit !== deployed.commit;
  // A branch's head has no place in the order of versions.
  if (target.version === null || deployed.version === null) return true;
  return isOlderVersion(deployed.version, target.version);
}

/**
 * What an upgrade leads to.
 * @param asked a version tag; null: the latest
 * @throws AppError not_found, already_latest, downgrade_refused
 */
export function chooseTarget(
  refs: Refs,
  asked: string | null,
  deployed: Version,
  options: { allowDowngrade: boolean },
): Version {
  if (asked === null) return latestTarget(refs, deployed);
  const commit = isVersionTag(asked) ? refs.tags.get(asked) : undefined;
  if (commit === undefined) throw new AppError('not_found', `The repository has no version ${asked}`);
  if (asked === deployed.version && commit === deployed.commit)
    throw new AppError('already_latest', `${asked} is deployed already`);
  if (deployed.version !== null && isOlderVersion(asked, deployed.version) && !options.allowDowngrade) {
    throw new AppError(
      'downgrade_refused',
      `${asked} is older than ${deployed.version}, which is deployed: set allow_downgrade to go back to it. Its data is not taken back: restore a backup of that version for that`,
    );
  }
  return { version: asked, commit };
}

function latestTarget(refs: Refs, deployed: Version): Version {
  const latest = latestVersion(refs, deployed);
  if (!latest)
    throw new AppError('not_found', 'The repository has no release: name the version to upgrade to as target_version');
  if (isNewer(latest, deployed)) return latest;
  const what = deployed.version ?? `Commit ${deployed.commit.slice(0, 12)}`;
  throw new AppError('already_latest', `${what} is deployed already, and there is no later release`);
}
