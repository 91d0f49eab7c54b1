import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { GitTarget } from './host-rule.ts';

/** A repository's address in parts: what may be shown and passed to git, and the credentials that may not. */
export interface RepositoryAddress {
  /** Without credentials. */
  address: string;
  credentials: { username: string; password: string } | null;
  /** The same for every tenant of the repository, with any credentials; safe as a file name. */
  key: string;
  /** On another host than the repository that names it: the manager's own keys and credentials are not for it. */
  foreign?: boolean;
}

/** Parses a repository address (its form was validated when it was set). */
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

/**
 * The host git connects to for an address; undefined for a local path, null for a host in an unusual spelling: git gets the
 * checked addresses by the host's name, and would resolve any other spelling itself.
 */
export function gitTarget(text: string): GitTarget | undefined | null {
  if (isLocalAddress(text)) return undefined;
  const [, scheme = '', authority] = /^(https?|ssh):\/\/(?:[^/]*@)?([^/@]*)/i.exec(text) ?? [];
  const host = authority ?? /^git@([^:/]+):/.exec(text)?.[1];
  // A scheme without a default port, so that the given port is kept.
  const url = host ? URL.parse(`http://${host.replace(/:(\d*)$/, '')}`) : null;
  const port = Number(/:(\d+)$/.exec(host ?? '')?.[1] ?? usualPorts[scheme.toLowerCase() || 'ssh']);
  const name = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  if (!isIP(name) && host?.replace(/:\d*$/, '').toLowerCase() !== name) return null;
  return isIP(name) || /^[a-z\d_](?:[a-z\d_.-]*[a-z\d_-])?$/.test(name) ? { host: name, port } : null;
}

const usualPorts: Readonly<Record<string, number>> = { http: 80, https: 443, ssh: 22 };

/** True for a path or file:// address: only if the operator allows local repositories. */
export function isLocalAddress(address: string): boolean {
  return address.startsWith('/') || address.startsWith('file://');
}
