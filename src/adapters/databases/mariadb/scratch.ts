import { randomBytes } from 'node:crypto';
import type { DatabaseOwner, ScratchDatabase } from '../tenant-database.ts';
import type { Access, RunClient } from './client.ts';
import { type Account, urlOf } from './connection.ts';
import { countRows, schemaOf } from './contents.ts';
import { loadDump } from './dump.ts';

/** Runs a statement as the server's administrator; returns the first column. */
export type Administer = (statement: string) => Promise<string[]>;

interface Place {
  owner: DatabaseOwner;
  run: RunClient;
  administer: Administer;
  /** The tenant's account as the manager's own connections, client programs and units use it. */
  forManager: Account;
  forPrograms: Omit<Access, 'database'>;
  forUnits: Account;
}

/** Prefix of a tenant's scratch databases; the id separates tenants of a shared server. */
const prefixOf = (owner: DatabaseOwner): string =>
  `tntscratch_${owner.tenant.id.replaceAll(/[^a-zA-Z0-9]/g, '').slice(0, 20)}_`;

/** In LIKE and GRANT a bare `_` stands for any character. */
const literal = (name: string): string => name.replaceAll('_', '\\_');

/** A temporary database on the tenant's server, which the tenant's account may use until it is dropped. */
export async function createScratch(place: Place): Promise<ScratchDatabase> {
  const { owner, run, administer, forManager, forPrograms, forUnits } = place;
  const database = `${prefixOf(owner)}${randomBytes(4).toString('hex')}`;
  await administer(`CREATE DATABASE \`${database}\` CHARACTER SET utf8mb4`);
  await administer(`GRANT ALL PRIVILEGES ON \`${literal(database)}\`.* TO '${forManager.user}'@'%'`);
  return {
    url: urlOf({ ...forUnits, database }),
    load: (content, { signal }) => loadDump(run, { ...forPrograms, database }, content, signal),
    rowCounts: ({ signal }) => countRows({ ...forManager, database }, signal),
    schema: ({ signal }) => schemaOf({ ...forManager, database }, signal),
    drop: () => drop(administer, database, forManager.user),
  };
}

export async function dropScratchDatabases(owner: DatabaseOwner, user: string, administer: Administer): Promise<void> {
  const names = await administer(`SHOW DATABASES LIKE '${literal(prefixOf(owner))}%'`);
  for (const name of names) await drop(administer, name, user);
}

async function drop(administer: Administer, database: string, user: string): Promise<void> {
  await administer(`DROP DATABASE IF EXISTS \`${database}\``);
  // A grant outlives its database; revoking a missing one is an error.
  await administer(`REVOKE ALL PRIVILEGES ON \`${literal(database)}\`.* FROM '${user}'@'%'`).catch(() => undefined);
}
