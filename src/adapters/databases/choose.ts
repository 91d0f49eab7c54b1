import type { DatabaseEngine, DatabaseKind } from './tenant-database.ts';

/** Databases available on this machine. */
export interface DatabasesHere {
  /** Units have a disk for SQLite files: not on a swarm, where two nodes could write the same file. */
  files: boolean;
  /** The runtime supports tenants' own database servers. */
  containers: boolean;
  /** The operator configured a shared server. */
  sharedServer: boolean;
}

export type DatabaseChoice = { kind: DatabaseKind | 'none' } | { kind: 'impossible'; reason: string };

/**
 * The database for an application that supports `engines`, best first (none: it needs no database). A tenant with data keeps
 * its current one: another would be empty. A shared server exists only because the operator configured it, so it is preferred
 * to a tenant's own server.
 * @param current where the tenant's data is; null or missing before its first deployment
 */
export function chooseDatabase(
  engines: readonly DatabaseEngine[],
  here: DatabasesHere,
  current?: DatabaseKind | null,
): DatabaseChoice {
  if (engines.length === 0) return { kind: 'none' };
  if (current) {
    if (!engines.includes(engineOf(current))) {
      return impossible(
        `The tenant’s data is in ${current}, which this version no longer lists among database.engines`,
      );
    }
    if (isHere(current, here)) return { kind: current };
    return impossible(`No database for this tenant: its data is in ${current}, which is no longer available here`);
  }
  const kind = engines.flatMap(kindsOf).find((candidate) => isHere(candidate, here));
  if (kind) return { kind };
  if (!engines.includes('mariadb'))
    return impossible(
      'No database for this tenant: the application can use only sqlite, whose files a swarm can’t share between its nodes',
    );
  return impossible(
    `No database for this tenant: the application can use ${engines.join(' or ')}, but there is no MariaDB here; set TENANT_DATABASE_URL to a MariaDB server or use the docker runtime`,
  );
}

const engineOf = (kind: DatabaseKind): DatabaseEngine => (kind === 'sqlite' ? 'sqlite' : 'mariadb');

const kindsOf = (engine: DatabaseEngine): DatabaseKind[] =>
  engine === 'sqlite' ? ['sqlite'] : ['mariadb-shared', 'mariadb-container'];

function isHere(kind: DatabaseKind, here: DatabasesHere): boolean {
  if (kind === 'sqlite') return here.files;
  return kind === 'mariadb-shared' ? here.sharedServer : here.containers;
}

const impossible = (reason: string): DatabaseChoice => ({ kind: 'impossible', reason });
