import {
  isOlderVersion,
  isPreRelease,
  latestRelease,
  type RemoteRefs,
  versionTags,
} from '../../platform/source/versions.ts';
import type { UpgradeFailure } from './store.ts';
import type { Version } from './target.ts';

/** A version that a tenant could have, and what it is to that tenant. */
export interface AvailableVersion {
  version: string;
  commit: string;
  deployed: boolean;
  /** The highest that is no pre-release. */
  latest: boolean;
  preRelease: boolean;
  /** Than what is deployed. */
  older: boolean;
  /** How the tenant could not be upgraded to it. */
  failure: UpgradeFailure | null;
}

/** The versions of a repository, highest first, as a tenant sees them. */
export function availableVersions(
  refs: RemoteRefs,
  deployed: Version | null,
  failures: readonly UpgradeFailure[],
): AvailableVersion[] {
  const latest = latestRelease(refs);
  return versionTags(refs).map((version) => {
    const commit = refs.tags.get(version) ?? '';
    return {
      version,
      commit,
      deployed: version === deployed?.version && commit === deployed.commit,
      latest: version === latest,
      preRelease: isPreRelease(version),
      older: deployed?.version ? isOlderVersion(version, deployed.version) : false,
      failure: failures.find((failure) => failure.commit === commit) ?? null,
    };
  });
}
