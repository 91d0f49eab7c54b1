import { gitTarget } from '../../adapters/git/address.ts';
import type { HostRule } from '../../adapters/git/host-rule.ts';

const longest = 2_048;
const mask = '***';

export interface RepositoryRules {
  /** Whether a path on this machine will do. */
  allowLocal: boolean;
  hosts: Pick<HostRule, 'problemOf'>;
}

/**
 * What is wrong with a git repository's address; undefined where it is one we hand to git. Git reads `ext::…` and the like as
 * programs to run and a leading hyphen as an option, so only forms that are known to be plain addresses pass.
 */
export function repositoryProblem(address: string, rules: RepositoryRules): string | undefined {
  const problem = formProblem(address, rules);
  if (problem !== undefined) return problem;
  const target = gitTarget(address);
  if (target === null)
    return 'must name a host as usual: git.example.org (no dot at the end, non-ASCII names as xn--…) or an IP address';
  return target === undefined ? undefined : rules.hosts.problemOf(target);
}

function formProblem(address: string, { allowLocal }: RepositoryRules): string | undefined {
  if (address.length > longest) return `must have at most ${longest} characters`;
  if (/[\s\p{Cc}\\]/u.test(address)) return 'must hold no white space, control characters or backslashes';
  if (address.startsWith('-')) return 'must not start with a hyphen';
  if (address.includes('::')) return 'must not hold "::"';
  if (/^(https?|ssh):\/\//i.test(address)) return remoteProblem(address);
  if (/^git@/.test(address)) {
    return /^git@[A-Za-z\d][A-Za-z\d.-]*:(?!-)\S+$/.test(address) ? undefined : 'must have the form git@host:path';
  }
  if (address.startsWith('/') || address.startsWith('file:///')) {
    return allowLocal ? undefined : 'is on this machine, which the operator has not allowed (ALLOW_LOCAL_REPOSITORIES)';
  }
  return 'must be https://…, http://…, ssh://… or git@host:path';
}

function remoteProblem(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url || url.hostname === '' || url.hostname.startsWith('-')) return 'must name a host';
  if (url.username.startsWith('-')) return 'must not have a user that starts with a hyphen';
  if (url.pathname.length < 2) return 'must name a path after the host';
  if (url.search !== '' || url.hash !== '') return 'must have no query and no fragment';
  if (decodable(url.username) && decodable(url.password)) return undefined;
  return 'has credentials that are not validly encoded';
}

function decodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The address as it may be shown: a password as `***`, and over http(s) a user without a password too, since tokens are given
 * that way. An address without credentials comes back as it is.
 */
export function maskCredentials(address: string): string {
  const parts = /^(https?|ssh):\/\/([^/]*)@([^/@]*(?:\/.*)?)$/i.exec(address);
  if (!parts) return address;
  const [, scheme = '', credentials = '', rest = ''] = parts;
  const colon = credentials.indexOf(':');
  if (colon >= 0) return `${scheme}://${credentials.slice(0, colon)}:${mask}@${rest}`;
  return scheme.toLowerCase() === 'ssh' ? address : `${scheme}://${mask}@${rest}`;
}

/** Whether an address bears the mask in place of a credential: it was shown by us, and is no address for git. */
export function isMasked(address: string): boolean {
  return address.includes(`:${mask}@`) || address.includes(`//${mask}@`);
}
