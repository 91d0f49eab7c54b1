import { gitTarget } from './address.ts';
import type { HostRule } from './host-rule.ts';

const maxLength = 2_048;
const mask = '***';

export interface RepositoryRules {
  /** Whether paths on this machine are allowed. */
  allowLocal: boolean;
  hosts: Pick<HostRule, 'problemOf'>;
}

/**
 * The problem with a git repository's address; undefined if it is safe to pass to git. Git runs programs for `ext::…` and reads
 * a leading hyphen as an option, so only known address forms are accepted.
 */
export function repositoryProblem(address: string, rules: RepositoryRules): string | undefined {
  const problem = formProblem(address, rules);
  if (problem !== undefined) return problem;
  const target = gitTarget(address);
  if (target === null)
    return 'must contain a host like git.example.org (no trailing dot, non-ASCII names as xn--…) or an IP address';
  return target === undefined ? undefined : rules.hosts.problemOf(target);
}

function formProblem(address: string, { allowLocal }: RepositoryRules): string | undefined {
  if (address.length > maxLength) return `must have at most ${maxLength} characters`;
  if (/[\s\p{Cc}\\]/u.test(address)) return 'must not contain white space, control characters or backslashes';
  if (address.startsWith('-')) return 'must not start with a hyphen';
  if (address.includes('::')) return 'must not contain "::"';
  if (/^(https?|ssh):\/\//i.test(address)) return remoteProblem(address);
  if (/^git@/.test(address)) {
    return /^git@[A-Za-z\d][A-Za-z\d.-]*:(?!-)\S+$/.test(address) ? undefined : 'must have the form git@host:path';
  }
  if (address.startsWith('/') || address.startsWith('file:///')) {
    return allowLocal
      ? undefined
      : 'is a path on this machine, which the operator has not allowed (ALLOW_LOCAL_REPOSITORIES)';
  }
  return 'must be https://…, http://…, ssh://… or git@host:path';
}

function remoteProblem(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url || url.hostname === '' || url.hostname.startsWith('-')) return 'must contain a host';
  if (url.username.startsWith('-')) return 'must not have a user name that starts with a hyphen';
  if (url.pathname.length < 2) return 'must contain a path after the host';
  if (url.search !== '' || url.hash !== '') return 'must not have a query or a fragment';
  if (decodable(url.username) && decodable(url.password)) return undefined;
  return 'has credentials that are not correctly URL-encoded';
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
 * The address for display: a password becomes `***`, and over http(s) also a user name without a password, which may be a
 * token. An address without credentials is returned unchanged.
 */
export function maskCredentials(address: string): string {
  const parts = /^(https?|ssh):\/\/([^/]*)@([^/@]*(?:\/.*)?)$/i.exec(address);
  if (!parts) return address;
  const [, scheme = '', credentials = '', rest = ''] = parts;
  const colon = credentials.indexOf(':');
  if (colon >= 0) return `${scheme}://${credentials.slice(0, colon)}:${mask}@${rest}`;
  return scheme.toLowerCase() === 'ssh' ? address : `${scheme}://${mask}@${rest}`;
}

/** Whether an address contains the mask instead of a credential, so that git can't use it. */
export function isMasked(address: string): boolean {
  return address.includes(`:${mask}@`) || address.includes(`//${mask}@`);
}
