import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { createLogger } from '../../src/kernel/logger.ts';
import { openStore, type Store } from '../../src/platform/store/store.ts';

/** A real MariaDB server, for one test file. */
export interface MariaDb {
  /** Makes an empty database and answers its address for `openStore`. */
  newDatabase(): Promise<string>;
  stop(): Promise<void>;
}

const quiet = createLogger({ level: 'silent' });

/**
 * Runs the same suite on a store in SQLite and on one in a real MariaDB. Where no `mariadbd` is installed its half is
 * skipped, which the name of the skipped test says; with CI=true it fails instead.
 * @param suite gets a function that answers the store, opened anew for each suite
 */
export function eachStore(name: string, suite: (store: () => Store, address: () => string) => void): void {
  describe(`${name} (SQLite)`, () => {
    let directory = '';
    storeSuite(
      async () => {
        directory = await mkdtemp(join(tmpdir(), 'tenantry-store-'));
        return `sqlite:${join(directory, 'tenantry.db')}`;
      },
      () => rm(directory, { recursive: true, force: true }),
      suite,
    );
  });

  describe(`${name} (MariaDB)`, () => {
    if (!findProgram('mariadbd') && process.env.CI !== 'true') {
      test.skip('skipped: no mariadbd on this machine (Debian: apt-get install mariadb-server)', () => undefined);
      return;
    }
    let server: MariaDb | undefined;
    storeSuite(
      async () => {
        server = await startMariaDb();
        return server.newDatabase();
      },
      async () => server?.stop(),
      suite,
    );
  });
}

function storeSuite(
  start: () => Promise<string>,
  stop: () => Promise<unknown>,
  suite: (store: () => Store, address: () => string) => void,
): void {
  let address = '';
  let store: Store | undefined;
  beforeAll(async () => {
    address = await start();
    store = await openStore(address, quiet);
  }, 60_000);
  afterAll(async () => {
    await store?.close();
    await stop();
  }, 30_000);
  suite(
    () => {
      if (!store) throw new Error('The store is opened before the first test of its suite');
      return store;
    },
    () => address,
  );
}

/** Starts Debian's MariaDB on a temporary directory and a free port of the loopback; ready when this resolves. */
export async function startMariaDb(): Promise<MariaDb> {
  const program = findProgram('mariadbd');
  const install = findProgram('mariadb-install-db');
  if (!program || !install) throw new Error('mariadbd and mariadb-install-db must be installed for this test');
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-mariadb-'));
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  // Two servers that share a directory for temporary files remove each other's.
  const places = [`--datadir=${join(directory, 'data')}`, `--tmpdir=${directory}`];
  const made = spawnSync(
    install,
    ['--no-defaults', ...places, ...user, '--auth-root-authentication-method=normal', '--skip-test-db'],
    { encoding: 'utf8' },
  );
  if (made.status !== 0) {
    await rm(directory, { recursive: true, force: true });
    throw new Error(`mariadb-install-db failed: ${made.stdout}${made.stderr}`);
  }

  const port = await freePort();
  const socket = join(directory, 'socket');
  const errors = join(directory, 'errors.log');
  const server = spawn(
    program,
    [
      '--no-defaults',
      ...places,
      ...user,
      `--socket=${socket}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--pid-file=${join(directory, 'pid')}`,
      `--log-error=${errors}`,
    ],
    { stdio: 'ignore' },
  );
  // A test process that is ended hard takes the server with it.
  const endWithUs = (): unknown => server.kill('SIGKILL');
  process.once('exit', endWithUs);
  const stop = async (): Promise<void> => {
    process.off('exit', endWithUs);
    await endProcess(server);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await untilReady(server, socket, errors);
  } catch (error) {
    await stop();
    throw error;
  }

  let databases = 0;
  return {
    async newDatabase() {
      databases += 1;
      const name = `tenantry_${databases}`;
      await asRoot(socket, [
        `CREATE DATABASE ${name}`,
        "CREATE USER IF NOT EXISTS 'tenantry'@'127.0.0.1' IDENTIFIED BY 'tenantry'",
        `GRANT ALL ON ${name}.* TO 'tenantry'@'127.0.0.1'`,
      ]);
      return `mysql://tenantry:tenantry@127.0.0.1:${port}/${name}`;
    },
    stop,
  };
}

function findProgram(name: string): string | undefined {
  const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];
  return places.map((place) => join(place, name)).find((path) => existsSync(path));
}

async function asRoot(socketPath: string, statements: readonly string[]): Promise<void> {
  const connection = await createConnection({ socketPath, user: 'root' });
  try {
    for (const statement of statements) await connection.query(statement);
  } finally {
    await connection.end();
  }
}

async function untilReady(server: ChildProcess, socket: string, errors: string): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const failure = await asRoot(socket, ['SELECT 1']).then(
      () => undefined,
      (error: Error) => error,
    );
    if (!failure) return;
    if (server.exitCode !== null || performance.now() > deadline) {
      const log = existsSync(errors) ? readFileSync(errors, 'utf8').slice(-4_000) : '';
      throw new Error(`mariadbd did not come up: ${failure.message}\n${log}`);
    }
    await sleep(50);
  }
}

async function endProcess(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  const timer = setTimeout(() => server.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(timer);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
