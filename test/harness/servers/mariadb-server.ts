import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { patienceMs } from '../patience.ts';
import { freePort } from './ports.ts';

/** A real MariaDB server. */
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

/** Whether this machine has a MariaDB server. */
export const hasMariaDb = findProgram('mariadbd') !== undefined;

/**
 * Starts Debian's MariaDB on a temporary directory and a free port; ready when this resolves.
 * @param address an address of this machine that other hosts reach, to which every host may then connect
 * @param options of mariadbd
 */
export async function startMariaDb(address = '127.0.0.1', options: readonly string[] = []): Promise<MariaDb> {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-mariadb-'));
  try {
    const settings = await copyInto(directory);
    // Its data must survive the end of the process, but no power failure.
    const own = [`--bind-address=${address}`, '--innodb-flush-log-at-trx-commit=2'];
    const server = await startServer(directory, [...settings, ...own, ...options]);
    const from = address === '127.0.0.1' ? address : '%';
    await asRoot(server.socket, [
      `CREATE USER 'admin'@'${from}' IDENTIFIED BY 'admin'`,
      `GRANT ALL ON *.* TO 'admin'@'${from}' WITH GRANT OPTION`,
    ]);
    const adminUrl = `mysql://admin:admin@${address}:${server.port}`;
    return {
      adminUrl,
      newDatabase: () => makeDatabase(adminUrl),
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

/** Creates the system tables in a data directory; returns the settings that its server starts with. */
export function installMariaDb(directory: string): string[] {
  const install = findProgram('mariadb-install-db');
  if (!install) throw new Error('mariadbd and mariadb-install-db must be installed for this test');
  const settings = settingsIn(directory);
  const options = ['--auth-root-authentication-method=normal', '--skip-test-db'];
  const made = spawnSync(install, [...settings, ...options], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`mariadb-install-db failed: ${made.stdout}${made.stderr}`);
  return settings;
}

function settingsIn(directory: string): string[] {
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  // Two servers that share a directory for temporary files remove each other's.
  return ['--no-defaults', `--datadir=${join(directory, 'data')}`, `--tmpdir=${directory}`, ...user];
}

/** Copies the run's system tables, which `test/harness/jest/global-setup.mjs` made; most of their 114 MB are empty. */
async function copyInto(directory: string): Promise<string[]> {
  const made = process.env.TEST_MARIADB_TABLES;
  if (!made) return installMariaDb(directory);
  await promisify(execFile)('cp', ['--archive', '--sparse=always', made, join(directory, 'data')]);
  return settingsIn(directory);
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

let databases = 0;

/**
 * Creates an empty database with an account of its own; returns its address for `openStore`.
 * @param adminUrl of an account with all privileges, at this machine
 */
export async function makeDatabase(adminUrl: string): Promise<string> {
  databases += 1;
  const name = `tenantry_${process.pid}_${databases}`;
  const connection = await createConnection(adminUrl);
  try {
    await connection.query(`CREATE DATABASE ${name}`);
    await connection.query("CREATE USER IF NOT EXISTS 'tenantry'@'127.0.0.1' IDENTIFIED BY 'tenantry'");
    await connection.query(`GRANT ALL ON ${name}.* TO 'tenantry'@'127.0.0.1'`);
  } finally {
    await connection.end();
  }
  const { host } = new URL(adminUrl);
  return `mysql://tenantry:tenantry@${host}/${name}`;
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
  const deadline = performance.now() + patienceMs;
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
