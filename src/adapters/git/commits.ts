import type { Git } from './git.ts';
import type { RemoteRefs } from './versions.ts';

/** Who made a commit, when, and what it is about. */
export interface CommitDetails {
  author: string;
  date: Date;
  subject: string;
}

export interface Commit extends CommitDetails {
  id: string;
}

/** Commits of a range: how many, and the newest of them. */
export interface CommitRange {
  total: number;
  commits: Commit[];
}

const shownCommits = 30;

/** Whether a text can be a commit's id, complete or abbreviated. */
export const isCommitId = (text: string): boolean => /^[0-9a-f]{7,64}$/.test(text);

/** Missing objects are never fetched implicitly: that request would lack the repository's credentials. */
const offline = { environment: { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' } };

/** The largest depth that git accepts, which means the whole history. */
const fullHistory = '2147483647';

const separator = '\0';
const format = ['*objectname', 'objectname', 'authorname', '*authorname', 'authordate:iso-strict']
  .concat(['*authordate:iso-strict', '*contents:subject', 'contents:subject'])
  .map((field) => `%(${field})`)
  .join('%00');

/** Which commits to fetch: only the tips, the whole history, or what is new to an existing clone. */
export type History = 'tips' | 'all' | 'new';
const depths: Record<History, string[]> = { tips: ['--depth=1'], all: [`--depth=${fullHistory}`], new: [] };

/** The arguments of a fetch of all branches and tags without their files. */
export function commitFetch(address: string, history: History): string[] {
  const options = [
    '--quiet',
    '--prune',
    '--no-tags',
    '--force',
    '--no-write-fetch-head',
    '--filter=tree:0',
    ...depths[history],
  ];
  // Under a name: git does not fetch missing files from an address that starts with /.
  const remote = ['-c', `remote.origin.url=${address}`];
  return [
    ...remote,
    'fetch',
    ...options,
    '--end-of-options',
    'origin',
    '+refs/heads/*:refs/heads/*',
    '+refs/tags/*:refs/tags/*',
  ];
}

/** Whether the whole history is here: a fetch with a depth would cut it off. @param git works in the directory of commits */
export async function hasFullHistory(git: Git): Promise<boolean> {
  const shallow = await git(['rev-parse', '--is-shallow-repository'], offline);
  const any = await git(['for-each-ref', '--count=1', 'refs/heads', 'refs/tags'], offline);
  return shallow.trim() === 'false' && any.trim() !== '';
}

/** The commits at the tips of branches and tags that are here, by id. @param git works in the directory of commits */
export async function readTips(git: Git, signal?: AbortSignal): Promise<Map<string, CommitDetails>> {
  const found = new Map<string, CommitDetails>();
  const onLine = (line: string): void => {
    const [peeled, own, author, tagged, date, tagDate, subject, tagSubject] = line.split(separator);
    const commit = peeled || own;
    const made = new Date(date || tagDate || '');
    if (!commit || Number.isNaN(made.getTime())) return;
    found.set(commit, { author: author || tagged || '', date: made, subject: subject || tagSubject || '' });
  };
  await git(['for-each-ref', `--format=${format}`, 'refs/heads', 'refs/tags'], { ...offline, signal, onLine });
  return found;
}

/** The commit at the tip of a branch or tag whose id has this prefix; undefined if there is none or more than one. */
export function tipWithPrefix(id: string, { tags, branches }: RemoteRefs): string | undefined {
  const found = new Set([...tags.values(), ...branches.values()].filter((commit) => commit.startsWith(id)));
  const [only] = found;
  return found.size === 1 ? only : undefined;
}

/**
 * The only commit here whose id has this prefix and that is reachable from a branch or tag. Others are not the repository's:
 * hosts also serve commits of forks under its address.
 */
export async function reachableCommit(git: Git, id: string): Promise<string | undefined> {
  const parsed = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${id}^{commit}`], offline).catch(
    () => undefined,
  );
  const commit = parsed?.trim();
  // A tag or branch of this name would be preferred to the commit.
  if (!commit?.startsWith(id.toLowerCase())) return undefined;
  const leading = await git(['for-each-ref', '--count=1', `--contains=${commit}`, 'refs/heads', 'refs/tags'], offline);
  return leading.trim() === '' ? undefined : commit;
}

/** A commit's author writes its date: an impossible one becomes the first of 1970, so that the commit is still shown. */
function dateOf(text: string): Date {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? new Date(0) : date;
}

/** One commit here. @throws Error if it is not here */
export async function readCommit(git: Git, commit: string): Promise<CommitDetails> {
  const format = '--format=%an%x00%aI%x00%s';
  const found = await git(['log', '--max-count=1', '--no-show-signature', format, '--end-of-options', commit], offline);
  const [author = '', date = '', subject = ''] = found.trimEnd().split(separator);
  return { author, date: dateOf(date), subject };
}

/** The commits that lead to `to` and not to `from`, newest first. @param git works in the directory of commits */
export async function commitsBetween(git: Git, from: string, to: string): Promise<CommitRange> {
  const range = `${from}..${to}`;
  const total = Number(await git(['rev-list', '--count', '--end-of-options', range], offline));
  const commits: Commit[] = [];
  const onLine = (line: string): void => {
    const [id = '', author = '', date = '', subject = ''] = line.split(separator);
    commits.push({ id, author, date: dateOf(date), subject });
  };
  const options = [`--max-count=${shownCommits}`, '--no-show-signature', '--format=%H%x00%an%x00%aI%x00%s'];
  await git(['log', ...options, '--end-of-options', range], { ...offline, onLine });
  return { total, commits };
}
