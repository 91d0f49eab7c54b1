import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { openLeaseTable } from '../../../src/adapters/store/lease.ts';
import { needsLease, type Store } from '../../../src/adapters/store/store.ts';
import { openManagerStore } from '../../../src/app/lifecycle/manager-store.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { copySqliteTemplate, makeMariaDbStore } from '../data/store-template.ts';
import { hasMariaDb } from './mariadb-server.ts';

const quiet = createLogger({ level: 'silent' });

/** Whether tests with MariaDB run; in CI a missing server is an error. */
export const withMariaDb = hasMariaDb || process.env.CI === 'true';

/** A suite that needs a real MariaDB. Without `mariadbd` it is a skipped test with the reason; with CI=true it fails. */
export function describeMariaDb(name: string, suite: () => void): void {
  describe(name, () => {
    if (withMariaDb) suite();
    else test.skip('skipped: mariadbd is not installed (Debian: apt-get install mariadb-server)', () => undefined);
  });
}

type StoreSuite = (newDatabase: () => Promise<string>) => void;

/**
 * Runs a suite on SQLite alone: for whole deployments, whose queries are tested on both stores elsewhere.
 * @param suite gets a function that creates an empty store with the current schema and returns its DATABASE_URL
 */
export function onSqlite(name: string, suite: StoreSuite): void {
  describe(name, () => {
    let directory = '';
    let databases = 0;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'tenantry-store-'));
    });
    suite(async () => {
      databases += 1;
      const path = join(directory, `${databases}.db`);
      await copySqliteTemplate(path);
      return `sqlite:${path}`;
    });
    afterAll(() => rm(directory, { recursive: true, force: true }));
  });
}

/**
 * Runs the same suite on SQLite and on a real MariaDB: what has parallel requests, conflicts, sign-in, rights, a kill, or SQL of its own. See
 * `onSqlite` and `describeMariaDb`.
 */
export function eachDatabase(name: string, suite: StoreSuite): void {
  onSqlite(`${name} (SQLite)`, suite);
  describeMariaDb(`${name} (MariaDB)`, () => suite(makeMariaDbStore));
}

/**
 * Runs a suite once, for whole deployments with SQL of their own: on a real MariaDB, since the dashboard's suites walk the same way on
 * SQLite. Without `mariadbd` on SQLite. See `eachDatabase`.
 */
export function onOneDatabase(name: string, suite: StoreSuite): void {
  if (withMariaDb) describe(name, () => suite(makeMariaDbStore));
  else onSqlite(name, suite);
}

/**
 * Runs the same suite on a store in SQLite and on one in a real MariaDB, see `eachDatabase`.
 * @param suite gets a function that returns the store, which is empty at the start of each suite
 */
export function eachStore(name: string, suite: (store: () => Store, address: () => string) => void): void {
  eachDatabase(name, (newDatabase) => {
    let address = '';
    let store: Store | undefined;
    beforeAll(async () => {
      address = await newDatabase();
      store = await openLeasedStore(address);
    });
    suite(
      () => {
        if (!store) throw new Error('The store is opened before the first test of its suite');
        return store;
      },
      () => address,
    );
    afterAll(() => store?.close());
  });
}

/** Opens a store as the manager does: on MariaDB with the lease that every write depends on. */
async function openLeasedStore(address: string): Promise<Store> {
  if (!needsLease(address)) return openManagerStore(address, quiet);
  const table = await openLeaseTable(address);
  const token = await table.take((await table.read()).token, { holder: 'test', version: '', bootId: '' });
  await table.close();
  const onLost = () => {
    throw new Error('The lease was lost');
  };
  return openManagerStore(address, quiet, { token: token ?? 0, onLost });
}
