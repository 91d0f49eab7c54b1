import type { CommitDetails } from '../../../adapters/git/commits.ts';
import {
  isOlderVersion,
  isPreRelease,
  latestRelease,
  type RemoteRefs,
  versionTags,
} from '../../../adapters/git/versions.ts';
import type { UpgradeFailure } from '../store.ts';
import type { Version } from './target.ts';

/** A version that a tenant could have, and what it is to that tenant. */
export interface AvailableVersion {
  version: string;
  commit: string;
  /** Undefined where git could not tell. */
  details: CommitDetails | undefined;
  deployed: boolean;
  /** The highest that is no pre-release. */
  latest: boolean;
  preRelease: boolean;
  /** Than what is deployed. */
  older: boolean;
  /** How the tenant could not be upgraded to it. */
  failure: UpgradeFailure | null;
}

/** A branch that a tenant could have. */
export interface AvailableBranch extends Pick<AvailableVersion, 'commit' | 'details' | 'deployed'> {
  name: string;
  isDefault: boolean;
}

/** What a repository offers a tenant. */
export interface Available {
  versions: AvailableVersion[];
  branches: AvailableBranch[];
}

type Details = ReadonlyMap<string, CommitDetails>;

const maxBranches = 100;

/** The branches of a repository, the default one first, then by their newest commit. */
export function availableBranches(refs: RemoteRefs, deployed: Version | null, details: Details): AvailableBranch[] {
  const rank = ({ isDefault, details: commit }: AvailableBranch): number =>
    isDefault ? Number.POSITIVE_INFINITY : (commit?.date.getTime() ?? 0);
  return [...refs.branches]
    .map(([name, commit]) => ({
      name,
      commit,
      details: details.get(commit),
      isDefault: name === refs.head?.branch,
      deployed: deployed?.version === null && commit === deployed.commit,
    }))
    .sort((a, b) => rank(b) - rank(a) || a.name.localeCompare(b.name))
    .slice(0, maxBranches);
}

/** The versions of a repository, highest first, as a tenant sees them. */
export function availableVersions(
  refs: RemoteRefs,
  deployed: Version | null,
  failures: readonly UpgradeFailure[],
  details: Details,
): AvailableVersion[] {
  const latest = latestRelease(refs);
  return versionTags(refs).map((version) => {
    const commit = refs.tags.get(version) ?? '';
    return {
      version,
      commit,
      details: details.get(commit),
      deployed: version === deployed?.version && commit === deployed.commit,
      latest: version === latest,
      preRelease: isPreRelease(version),
      older: deployed?.version ? isOlderVersion(version, deployed.version) : false,
      failure: failures.find((failure) => failure.commit === commit) ?? null,
    };
  });
}
