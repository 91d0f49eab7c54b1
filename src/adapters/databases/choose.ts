import type { DatabaseEngine } from './tenant-database.ts';

/** What can be had on this machine; SQLite always. */
export interface DatabasesHere {
  /** The runtime runs database servers of tenants' own. */
  containers: boolean;
  /** The operator named a shared server. */
  sharedServer: boolean;
}

/** Where a tenant's data can be. */
export type DatabaseKind = 'sqlite' | 'mariadb-container' | 'mariadb-shared';

export type DatabaseChoice = { kind: DatabaseKind | 'none' } | { kind: 'impossible'; reason: string };

/**
 * The database for an application that can use `engines`, best first (none: it needs no database). A tenant that has data
 * keeps the place it is in: another one would begin empty. A shared server is only there because the operator asked for it,
 * so it goes before a server of the tenant's own.
 * @param current where the tenant's data is; null or absent before its first deployment
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
    return impossible(`No database for this tenant: its data is in ${current}, which there is not here any more`);
  }
  const kind = engines.flatMap(kindsOf).find((candidate) => isHere(candidate, here));
  if (kind) return { kind };
  return impossible(
    `No database for this tenant: the application can use ${engines.join(' or ')}, but there is no MariaDB here; set TENANT_DATABASE_URL to a MariaDB server or use the docker runtime`,
  );
}

const engineOf = (kind: DatabaseKind): DatabaseEngine => (kind === 'sqlite' ? 'sqlite' : 'mariadb');

const kindsOf = (engine: DatabaseEngine): DatabaseKind[] =>
  engine === 'sqlite' ? ['sqlite'] : ['mariadb-shared', 'mariadb-container'];

function isHere(kind: DatabaseKind, here: DatabasesHere): boolean {
  if (kind === 'sqlite') return true;
  return kind === 'mariadb-shared' ? here.sharedServer : here.containers;
}

const impossible = (reason: string): DatabaseChoice => ({ kind: 'impossible', reason });
