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

/** A version that a tenant could run, compared to what it runs. */
export interface AvailableVersion {
  version: string;
  commit: string;
  /** Undefined if git has no details of the commit. */
  details: CommitDetails | undefined;
  deployed: boolean;
  /** The highest version that is not a pre-release. */
  latest: boolean;
  preRelease: boolean;
  /** Older than the deployed version. */
  older: boolean;
  /** Why an upgrade of the tenant to it failed. */
  failure: UpgradeFailure | null;
}

/** A branch that a tenant could run. */
export interface AvailableBranch extends Pick<AvailableVersion, 'commit' | 'details' | 'deployed'> {
  name: string;
  isDefault: boolean;
}

/** What a repository offers a tenant: a page of the versions, and the branches. */
export interface Available {
  versions: AvailableVersion[];
  /** Of all versions. */
  total: number;
  branches: AvailableBranch[];
}

export interface Page {
  offset: number;
  limit: number;
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

/** A page of the versions of a repository, highest first, compared to what a tenant runs. */
export function availableVersions(
  refs: RemoteRefs,
  deployed: Version | null,
  failures: readonly UpgradeFailure[],
  details: Details,
  { offset, limit }: Page,
): AvailableVersion[] {
  const latest = latestRelease(refs);
  return versionTags(refs)
    .slice(offset, offset + limit)
    .map((version) => {
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
