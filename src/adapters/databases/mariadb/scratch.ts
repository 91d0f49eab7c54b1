import type { ScratchDatabase } from '../tenant-database.ts';
import type { Access, RunClient } from './client.ts';
import { type Account, urlOf } from './connection.ts';
import { contentsOf, schemaOf } from './contents.ts';
import { loadDump } from './dump.ts';

/** Runs a statement as the server's administrator; returns the first column. */
export type Administer = (statement: string) => Promise<string[]>;

interface Place {
  database: string;
  run: RunClient;
  administer: Administer;
  /** The tenant's account as the manager's own connections, client programs and units use it. */
  forManager: Account;
  forPrograms: Omit<Access, 'database'>;
  forUnits: Account;
}

/** In GRANT and LIKE a bare `_` is any character. */
export const literal = (name: string): string => name.replaceAll('_', '\\_');

/** Creates a database for the tenant's account if it is missing. */
export async function createDatabase(administer: Administer, database: string, user: string): Promise<void> {
  await administer(`CREATE DATABASE IF NOT EXISTS \`${database}\` CHARACTER SET utf8mb4`);
  await administer(`GRANT ALL PRIVILEGES ON \`${literal(database)}\`.* TO '${user}'@'%'`);
}

/** Drops a database and the account's rights on it. */
export async function dropDatabase(administer: Administer, database: string, user: string): Promise<void> {
  await administer(`DROP DATABASE IF EXISTS \`${database}\``);
  // A grant outlives its database; revoking a missing one is an error.
  await administer(`REVOKE ALL PRIVILEGES ON \`${literal(database)}\`.* FROM '${user}'@'%'`).catch(() => undefined);
}

/** Creates the tenant's spare database, in place of one that a killed manager left. */
export async function createScratch(place: Place): Promise<ScratchDatabase> {
  const { database, run, administer, forManager, forPrograms, forUnits } = place;
  await dropDatabase(administer, database, forManager.user);
  await createDatabase(administer, database, forManager.user);
  return {
    url: urlOf({ ...forUnits, database }),
    load: (content, { signal }) => loadDump(run, { ...forPrograms, database }, content, signal),
    contents: ({ signal }) => contentsOf({ ...forManager, database }, signal),
    schema: ({ signal }) => schemaOf({ ...forManager, database }, signal),
    drop: () => dropDatabase(administer, database, forManager.user),
  };
}
