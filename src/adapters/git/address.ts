import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { GitTarget } from './host-rule.ts';

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

/**
 * Where git connects to for an address; undefined for a path of this machine, null for an address that names no host in its
 * usual spelling: git is given the addresses of a host by its name, and would look up any other spelling itself.
 */
export function gitTarget(text: string): GitTarget | undefined | null {
  if (isLocalAddress(text)) return undefined;
  const [, scheme = '', authority] = /^(https?|ssh):\/\/(?:[^/]*@)?([^/@]*)/i.exec(text) ?? [];
  const host = authority ?? /^git@([^:/]+):/.exec(text)?.[1];
  // A scheme without a port of its own, so that the port given is kept.
  const url = host ? URL.parse(`http://${host.replace(/:(\d*)$/, '')}`) : null;
  const port = Number(/:(\d+)$/.exec(host ?? '')?.[1] ?? usualPorts[scheme.toLowerCase() || 'ssh']);
  const name = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  if (!isIP(name) && host?.replace(/:\d*$/, '').toLowerCase() !== name) return null;
  return isIP(name) || /^[a-z\d_](?:[a-z\d_.-]*[a-z\d_-])?$/.test(name) ? { host: name, port } : null;
}

const usualPorts: Readonly<Record<string, number>> = { http: 80, https: 443, ssh: 22 };

/** True for a path or file:// address: only where the operator allows local repositories. */
export function isLocalAddress(address: string): boolean {
  return address.startsWith('/') || address.startsWith('file://');
}
