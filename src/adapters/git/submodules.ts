import { AppError } from '../../lib/errors.ts';
import { gitTarget, isLocalAddress, parseRepositoryAddress, type RepositoryAddress } from './address.ts';
import { type RepositoryRules, repositoryProblem } from './address-rule.ts';
import type { Git } from './git.ts';
import { entriesOf, readConfig, shown, type TreeEntry } from './tree.ts';

/** A commit of another repository that belongs into a folder of a commit. */
export interface Submodule {
  path: string;
  commit: string;
  /** As .gitmodules has it; undefined: there is none. */
  url: string | undefined;
  /** `update = none`: git leaves it out, too. */
  isLeftOut: boolean;
}

/** The submodules of a commit, from its index and its .gitmodules. @param git works in the tree's directory with its index */
export async function submodulesOf(git: Git): Promise<Submodule[]> {
  const links: TreeEntry[] = await entriesOf(git, ['160000']);
  if (links.length === 0) return [];
  const sections = new Map<string, Record<string, string>>();
  for (const [key, value] of await readConfig(git, '.gitmodules')) {
    const [, name = '', field = ''] = /^submodule\.(.+)\.(\w+)$/s.exec(key) ?? [];
    sections.set(name, { ...sections.get(name), [field]: value });
  }
  const byPath = new Map([...sections.values()].map((section) => [section.path?.replace(/\/$/, ''), section]));
  return links.map(({ path, id }) => {
    const section = byPath.get(path);
    return { path, commit: id, url: section?.url, isLeftOut: section?.update === 'none' };
  });
}

/**
 * The repository of a submodule. Its address is the tenant's text: it passes the rule of a repository's address, and gets
 * credentials only on the host of the repository that names it.
 * @throws AppError git_error
 */
export function repositoryOf(
  { path, url }: Pick<Submodule, 'path' | 'url'>,
  parent: RepositoryAddress,
  { allowLocal, hosts }: RepositoryRules,
): RepositoryAddress {
  if (url === undefined || url === '')
    throw new AppError(
      'git_error',
      `The submodule ${shown(path)} has no address in .gitmodules. Add it there, or remove the submodule from the repository`,
    );
  const refused = (problem: string): AppError =>
    new AppError('git_error', `The address ${shown(url)} of the submodule ${shown(path)} ${problem}`);
  const absolute = resolveAddress(parent.address, url);
  if (absolute === undefined) throw refused('leads out of the repository’s host');
  const rules = { allowLocal: allowLocal && isLocalAddress(parent.address), hosts };
  const problem = repositoryProblem(absolute, rules);
  if (problem !== undefined) throw refused(problem);
  const own = originOf(parent.address);
  // The repository's token is for https.
  const web = overHttps(absolute);
  const address = web !== undefined && originOf(web) === own ? web : absolute;
  const repository = parseRepositoryAddress(address);
  const foreign = originOf(address) !== own;
  if (foreign && originOf(address).startsWith('ssh:'))
    throw refused('must be an https address: ssh keys are used at the repository’s own host only');
  if (foreign) return { ...repository, foreign };
  return { ...repository, credentials: repository.credentials ?? parent.credentials, foreign: parent.foreign ?? false };
}

/** As git resolves a relative address, but never above the host; undefined there. */
function resolveAddress(base: string, text: string): string | undefined {
  if (!/^\.\.?\//.test(text)) return text;
  const [, root, path = ''] = /^((?:https?|ssh):\/\/[^/]+\/|file:\/\/\/|git@[^:]+:\/?|\/)(.*)$/i.exec(base) ?? [];
  const parts = path.split('/').filter((part) => part !== '');
  for (const part of text.split('/').filter((part) => part !== '' && part !== '.')) {
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return root === undefined ? undefined : root + parts.join('/');
}

/** Scheme, host and port of an address, which credentials belong to. */
export function originOf(address: string): string {
  if (isLocalAddress(address)) return 'local:';
  const target = gitTarget(address);
  const scheme = /^https?(?=:)/i.exec(address)?.[0].toLowerCase() ?? 'ssh';
  return `${scheme}://${target?.host}:${target?.port}`;
}

/** The https form of an ssh address that git hosts offer for the same repository; undefined if there is none. */
export function overHttps(address: string): string | undefined {
  const [, host, path] = /^(?:ssh:\/\/git@|git@)([^/:]+)(?::22)?[:/]\/?(.*)$/.exec(address) ?? [];
  return host && path ? `https://${host}/${path}` : undefined;
}
