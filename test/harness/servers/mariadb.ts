import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { openLeaseTable } from '../../../src/adapters/store/lease.ts';
import { needsLease, openStore, type Store } from '../../../src/adapters/store/store.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { freePort } from './ports.ts';

/** A real MariaDB server, for one test file. */
export interface MariaDb {
  /** The address of an account with all privileges, without a database. */
  adminUrl: string;
  /** Creates an empty database and returns its address for `openStore`. */
  newDatabase(): Promise<string>;
  /** Suspends it (SIGSTOP): connections are accepted, nothing is answered. Resolves once every thread has stopped. */
  suspend(): Promise<void>;
  resume(): void;
  stop(): Promise<void>;
}

const quiet = createLogger({ level: 'silent' });

/** Whether this machine has a MariaDB server; in CI a missing one is an error. */
export const withMariaDb = findProgram('mariadbd') !== undefined || process.env.CI === 'true';

/** A suite that needs a real MariaDB. Without `mariadbd` it is a skipped test with the reason; with CI=true it fails. */
export function describeMariaDb(name: string, suite: () => void): void {
  describe(name, () => {
    if (withMariaDb) suite();
    else test.skip('skipped: mariadbd is not installed (Debian: apt-get install mariadb-server)', () => undefined);
  });
}

/**
 * Runs the same suite on SQLite and on a real MariaDB, see `describeMariaDb`.
 * @param suite gets a function that creates an empty database and returns its
 * DATABASE_URL
 */
export function eachDatabase(name: string, suite: (newDatabase: () => Promise<string>) => void): void {
  describe(`${name} (SQLite)`, () => {
    let directory = '';
    let databases = 0;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'tenantry-store-'));
    });
    suite(async () => {
      databases += 1;
      return `sqlite:${join(directory, `${databases}.db`)}`;
    });
    afterAll(() => rm(directory, { recursive: true, force: true }));
  });

  describeMariaDb(`${name} (MariaDB)`, () => {
    let server: MariaDb | undefined;
    beforeAll(async () => {
      server = await startMariaDb();
    });
    suite(async () => {
      if (!server) throw new Error('The server is started before the first test of its suite');
      return server.newDatabase();
    });
    afterAll(() => server?.stop());
  });
}

/**
 * Runs the same suite on a store in SQLite and on one in a real MariaDB, see `eachDatabase`.
 * @param suite gets a
 * function that returns the store, which is empty at the start of each suite
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
  if (!needsLease(address)) return openStore(address, quiet);
  const table = await openLeaseTable(address);
  const token = await table.take((await table.read()).token, { holder: 'test', version: '', bootId: '' });
  await table.close();
  const onLost = () => {
    throw new Error('The lease was lost');
  };
  return openStore(address, quiet, { token: token ?? 0, onLost });
}

/**
 * Starts Debian's MariaDB on a temporary directory and a free port; ready when this resolves.
 * @param address an address of this machine that other hosts reach, to which every host may then connect
 */
export async function startMariaDb(address = '127.0.0.1'): Promise<MariaDb> {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-mariadb-'));
  try {
    const settings = await installIn(directory);
    const server = await startServer(directory, [...settings, `--bind-address=${address}`]);
    const from = address === '127.0.0.1' ? address : '%';
    await asRoot(server.socket, [
      `CREATE USER 'admin'@'${from}' IDENTIFIED BY 'admin'`,
      `GRANT ALL ON *.* TO 'admin'@'${from}' WITH GRANT OPTION`,
    ]);
    const adminUrl = `mysql://admin:admin@${address}:${server.port}`;
    return {
      adminUrl,
      newDatabase: databaseMaker(server),
      suspend: async () => {
        server.child.kill('SIGSTOP');
        while (!(await isStopped(server.child.pid ?? 0))) await sleep(5);
      },
      resume: () => void server.child.kill('SIGCONT'),
      stop: () => end(server, directory),
    };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

/** Whether all threads of a process are stopped by a signal. */
async function isStopped(pid: number): Promise<boolean> {
  for (const thread of await readdir(`/proc/${pid}/task`))
    if (!/^State:\s+T/m.test(await readFile(`/proc/${pid}/task/${thread}/status`, 'utf8').catch(() => 'State: T')))
      return false;
  return true;
}

/** Creates the system tables; returns the settings that the server starts with. */
async function installIn(directory: string): Promise<string[]> {
  const install = findProgram('mariadb-install-db');
  if (!install) throw new Error('mariadbd and mariadb-install-db must be installed for this test');
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  // Two servers that share a directory for temporary files remove each other's.
  const settings = ['--no-defaults', `--datadir=${join(directory, 'data')}`, `--tmpdir=${directory}`, ...user];
  const options = ['--auth-root-authentication-method=normal', '--skip-test-db'];
  const made = spawnSync(install, [...settings, ...options], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`mariadb-install-db failed: ${made.stdout}${made.stderr}`);
  return settings;
}

interface Server {
  child: ChildProcess;
  socket: string;
  port: number;
  /** A test process that ends stops the server too. */
  endWithUs(): void;
}

const mostStarts = 4;

/** Another process may take a free port a moment later: then the next one is tried. */
async function startServer(directory: string, settings: readonly string[]): Promise<Server> {
  for (let start = 1; ; start += 1) {
    const port = await freePort();
    const socket = join(directory, 'socket');
    const errors = join(directory, 'errors.log');
    const own = [
      `--socket=${socket}`,
      `--port=${port}`,
      `--pid-file=${join(directory, 'pid')}`,
      `--log-error=${errors}`,
    ];
    const child = spawn(findProgram('mariadbd') ?? 'mariadbd', [...settings, ...own], {
      stdio: 'ignore',
    });
    const endWithUs = (): void => void child.kill('SIGKILL');
    process.once('exit', endWithUs);
    const server = { child, socket, port, endWithUs };
    const failure = await untilReady(server);
    if (!failure) return server;
    const log = existsSync(errors) ? readFileSync(errors, 'utf8').slice(-4_000) : '';
    await endServer(server);
    if (start === mostStarts) throw new Error(`mariadbd did not come up: ${failure.message}\n${log}`);
  }
}

function databaseMaker({ socket, port }: Server): () => Promise<string> {
  let databases = 0;
  return async () => {
    databases += 1;
    const name = `tenantry_${databases}`;
    await asRoot(socket, [
      `CREATE DATABASE ${name}`,
      "CREATE USER IF NOT EXISTS 'tenantry'@'127.0.0.1' IDENTIFIED BY 'tenantry'",
      `GRANT ALL ON ${name}.* TO 'tenantry'@'127.0.0.1'`,
    ]);
    return `mysql://tenantry:tenantry@127.0.0.1:${port}/${name}`;
  };
}

async function end(server: Server, directory: string): Promise<void> {
  await endServer(server);
  await rm(directory, { recursive: true, force: true });
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

/** Waits until it responds; throws the last error when it has ended or at the timeout. */
async function untilReady({ child, socket }: Server): Promise<Error | undefined> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const failure = await asRoot(socket, ['SELECT 1']).then(
      () => undefined,
      (error: Error) => error,
    );
    if (!failure || child.exitCode !== null || performance.now() > deadline) return failure;
    await sleep(50);
  }
}

async function endServer({ child, endWithUs }: Server): Promise<void> {
  process.off('exit', endWithUs);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(timer);
}
