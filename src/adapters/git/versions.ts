import semver from 'semver';

/** A repository's refs, as `git ls-remote` lists them. */
export interface RemoteRefs {
  /** Tag → commit (annotated tags peeled). */
  tags: ReadonlyMap<string, string>;
  /** Branch → commit. */
  branches: ReadonlyMap<string, string>;
  /** The default branch and its head; null for an empty repository. */
  head: { branch: string; commit: string } | null;
}

/** Reads the output of `git ls-remote --symref`. */
export function parseRemoteRefs(output: string): RemoteRefs {
  const tags = new Map<string, string>();
  const branches = new Map<string, string>();
  let branch = '';
  let headCommit = '';
  for (const line of output.split('\n')) {
    if (line.startsWith('ref: ')) branch = /^ref: refs\/heads\/(\S+)\tHEAD$/.exec(line)?.[1] ?? branch;
    const [, commit, ref] = /^([0-9a-f]{40,64})\t(\S+)$/.exec(line) ?? [];
    if (!commit || !ref) continue;
    if (ref === 'HEAD') headCommit = commit;
    if (ref.startsWith('refs/heads/')) branches.set(ref.slice('refs/heads/'.length), commit);
    // `refs/tags/v1.0.0^{}` is an annotated tag's target, and follows the tag itself.
    if (ref.startsWith('refs/tags/')) tags.set(ref.slice('refs/tags/'.length).replace(/\^\{\}$/, ''), commit);
  }
  return { tags, branches, head: headCommit === '' ? null : { branch: branch || 'HEAD', commit: headCommit } };
}

/** A version tag of the form `v<major>.<minor>.<patch>`, with or without a pre-release part. */
export function isVersionTag(tag: string): boolean {
  return /^v\d/.test(tag) && semver.valid(tag) !== null;
}

/** Whether one version tag comes before another in semantic version order. */
export function isOlderVersion(one: string, other: string): boolean {
  return semver.lt(one, other);
}

/** Whether a version tag is a pre-release. */
export const isPreRelease = (tag: string): boolean => semver.prerelease(tag) !== null;

const sorted = new WeakMap<RemoteRefs['tags'], readonly string[]>();

/** The version tags in semantic version order, highest first; each is parsed once, as a repository may have 20,000. */
export function versionTags({ tags }: Pick<RemoteRefs, 'tags'>): readonly string[] {
  const known = sorted.get(tags);
  if (known) return known;
  const parsed = [...tags.keys()].flatMap((tag) => {
    const version = /^v\d/.test(tag) ? semver.parse(tag) : null;
    return version ? [{ tag, version }] : [];
  });
  const found = parsed.sort((one, other) => other.version.compare(one.version)).map(({ tag }) => tag);
  sorted.set(tags, found);
  return found;
}

/** The highest release tag by semantic version order; pre-releases are never the latest. */
export const latestRelease = (refs: Pick<RemoteRefs, 'tags'>): string | undefined =>
  versionTags(refs).find((tag) => !isPreRelease(tag));
