import { readFileSync } from 'node:fs';

/** Connections that one address may hold on a port. Trusted proxies and this host's own programs have no such limit. */
export const maxConnectionsPerAddress = 1_000;

const connectionCap = 10_000;

/**
 * Connections that one of the two ports may hold: 10,000, or 2 of 5 of the file descriptors that the process may have, so that
 * a fifth stays for files, git and the database.
 */
export function maxConnections(): number {
  const descriptors = openFilesLimit();
  return descriptors === undefined ? connectionCap : Math.min(connectionCap, Math.floor(descriptors * 0.4));
}

/** The soft limit of open files; undefined where it is not known, or there is none. */
function openFilesLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
