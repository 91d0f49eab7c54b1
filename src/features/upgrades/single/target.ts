import { isOlderVersion, isVersionTag, latestRelease, type RemoteRefs } from '../../../adapters/git/versions.ts';
import { AppError } from '../../../lib/errors.ts';

type Refs = Pick<RemoteRefs, 'tags' | 'head'>;

/** A version of the tenant application: its tag, null for a branch's head, and its commit. A moved tag is another version. */
export interface Version {
  version: string | null;
  commit: string;
}

/** The latest release; without releases, the default branch's head for a tenant that has no tag deployed. */
export function latestVersion(refs: Refs, deployed: Version | null): Version | undefined {
  const tag = latestRelease(refs);
  if (tag !== undefined) return { version: tag, commit: refs.tags.get(tag) ?? '' };
  if (deployed?.version || !refs.head) return undefined;
  return { version: null, commit: refs.head.commit };
}

/** Whether a version is newer than the deployed one; the same tag at another commit is. */
export function isNewer(target: Version, deployed: Version): boolean {
  if (target.version === deployed.version) return target.commit !== deployed.commit;
  // Branch heads have no order among versions.
  if (target.version === null || deployed.version === null) return true;
  return isOlderVersion(deployed.version, target.version);
}

/**
 * The target of an upgrade.
 * @param requested a version tag; null: the latest
 * @throws AppError not_found, already_latest, downgrade_refused
 */
export function chooseTarget(
  refs: Refs,
  requested: string | null,
  deployed: Version,
  options: { allowDowngrade: boolean },
): Version {
  if (requested === null) return latestTarget(refs, deployed);
  const commit = isVersionTag(requested) ? refs.tags.get(requested) : undefined;
  if (commit === undefined) throw new AppError('not_found', `The repository has no version ${requested}`);
  if (requested === deployed.version && commit === deployed.commit)
    throw new AppError('already_latest', `${requested} is already deployed`);
  if (deployed.version !== null && isOlderVersion(requested, deployed.version) && !options.allowDowngrade) {
    throw new AppError(
      'downgrade_refused',
      `${requested} is older than the deployed ${deployed.version}: set allow_downgrade to downgrade. A downgrade keeps the data as it is; to change it too, restore a backup of that version`,
    );
  }
  return { version: requested, commit };
}

function latestTarget(refs: Refs, deployed: Version): Version {
  const latest = latestVersion(refs, deployed);
  if (!latest)
    throw new AppError('not_found', 'The repository has no release: name the version to upgrade to as target_version');
  if (isNewer(latest, deployed)) return latest;
  const what = deployed.version ?? `Commit ${deployed.commit.slice(0, 12)}`;
  throw new AppError('already_latest', `${what} is already deployed, and there is no later release`);
}
