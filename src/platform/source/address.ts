import { createHash } from 'node:crypto';

/** A repository's address taken apart: what may be shown and passed to git, and the credentials that may not. */
export interface RepositoryAddress {
  /** Without credentials. */
  address: string;
  credentials: { username: string; password: string } | null;
  /** Same for every tenant of the repository, whatever credentials each uses; safe as a file name. */
  key: string;
}

/** Takes a repository address apart (its form was checked when it was set). */
export function parseRepositoryAddress(text: string): RepositoryAddress {
  const url = /^https?:\/\//i.test(text) ? new URL(text) : undefined;
  const credentials =
    url && (url.username !== '' || url.password !== '')
      ? { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }
      : null;
  if (url) {
    url.username = '';
    url.password = '';
  }
  const address = url ? url.href : text;
  return { address, credentials, key: createHash('sha256').update(address).digest('hex').slice(0, 16) };
}

/** True for a path or file:// address: only where the operator allows local repositories. */
export function isLocalAddress(address: string): boolean {
  return address.startsWith('/') || address.startsWith('file://');
}
