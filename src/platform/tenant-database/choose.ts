import type { DatabaseEngine } from './tenant-database.ts';

/** What can be had on this machine; SQLite always. */
export interface DatabasesHere {
  /** The runtime runs database servers of tenants' own. */
  containers: boolean;
  /** The operator named a shared server. */
  sharedServer: boolean;
}

export type DatabaseChoice =
  | { kind: 'none' }
  | { kind: 'sqlite'; engine: 'sqlite' }
  | { kind: 'mariadb-container' | 'mariadb-shared'; engine: 'mariadb' }
  | { kind: 'impossible'; reason: string };

/**
 * The database for an application that can use `engines`, best first (none: it needs no database). A tenant that has data
 * keeps its engine: another one would begin empty. A shared server is only there because the operator asked for it, so it
 * goes before a server of the tenant's own.
 * @param current the engine the tenant runs with; null or absent before its first deployment
 */
export function chooseDatabase(
  engines: readonly DatabaseEngine[],
  here: DatabasesHere,
  current?: DatabaseEngine | null,
): DatabaseChoice {
  if (engines.length === 0) return { kind: 'none' };
  if (current && !engines.includes(current)) {
    return impossible(`The tenant’s data is in ${current}, which this version no longer lists among database.engines`);
  }
  for (const engine of current ? [current] : engines) {
    const choice = offerOf(engine, here);
    if (choice) return choice;
  }
  const wanted = current ? `the tenant’s data is in ${current}` : `the application can use ${engines.join(' or ')}`;
  return impossible(
    `No database for this tenant: ${wanted}, but there is no MariaDB here; set TENANT_DATABASE_URL to a MariaDB server or use the docker runtime`,
  );
}

function offerOf(engine: DatabaseEngine, here: DatabasesHere): DatabaseChoice | undefined {
  switch (engine) {
    case 'sqlite':
      return { kind: 'sqlite', engine };
    case 'mariadb':
      if (here.sharedServer) return { kind: 'mariadb-shared', engine };
      return here.containers ? { kind: 'mariadb-container', engine } : undefined;
    default:
      throw new Error(`Unknown engine ${engine satisfies never}`);
  }
}

const impossible = (reason: string): DatabaseChoice => ({ kind: 'impossible', reason });
