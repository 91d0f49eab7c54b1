import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import BetterSqlite from 'better-sqlite3';
import { createConnection } from 'mysql2/promise';
import { chooseDatabase } from '../../../../src/adapters/databases/choose.ts';
import { createContainerMariadb, type DatabaseServers } from '../../../../src/adapters/databases/mariadb/container.ts';
import { ownNames, sharedNames } from '../../../../src/adapters/databases/mariadb/names.ts';
import { createSharedMariadb } from '../../../../src/adapters/databases/mariadb/shared.ts';
import type { DataFiles } from '../../../../src/adapters/databases/sqlite/location.ts';
import { createSqliteDatabase } from '../../../../src/adapters/databases/sqlite/sqlite.ts';
import type { DatabaseOwner, TenantDatabase } from '../../../../src/adapters/databases/tenant-database.ts';
import { newId } from '../../../../src/lib/ids.ts';
import { type MariaDb, startMariaDb } from '../../../harness/servers/mariadb-server.ts';

const work = { log: () => undefined, signal: new AbortController().signal };
const limits = { memoryMb: 512, cpus: 1, pids: 256 };

const ownerOf = (slug: string, password = `p:${slug}'\\"/@%`): DatabaseOwner => ({
  tenant: { id: newId(), slug, directory: `/nowhere/${slug}` },
  password,
  dataDirectory: '/data',
  slot: 0,
});

/** For tests that do not use the tenant's data directory. */
const noFiles: DataFiles = {
  async *read() {},
  size: async () => undefined,
  remove: async () => undefined,
  write: async () => undefined,
};

describe('choosing a database', () => {
  const nothing = { files: true, containers: false, sharedServer: false };
  const swarm = { files: false, containers: false, sharedServer: true };
  test.each([
    [[], nothing, null, { kind: 'none' }],
    [['mariadb', 'sqlite'], nothing, null, { kind: 'sqlite' }],
    [
      ['mariadb', 'sqlite'],
      { files: true, containers: true, sharedServer: false },
      null,
      { kind: 'mariadb-container' },
    ],
    [['mariadb'], { files: true, containers: true, sharedServer: true }, null, { kind: 'mariadb-shared' }],
    [['sqlite', 'mariadb'], { files: true, containers: true, sharedServer: true }, null, { kind: 'sqlite' }],
    [['mariadb'], nothing, null, { kind: 'impossible', reason: expect.stringContaining('TENANT_DATABASE_URL') }],
    [['mariadb', 'sqlite'], { files: true, containers: true, sharedServer: false }, 'sqlite', { kind: 'sqlite' }],
    [
      ['mariadb', 'sqlite'],
      nothing,
      'mariadb-container',
      { kind: 'impossible', reason: expect.stringContaining('data is in mariadb-container') },
    ],
    [
      ['mariadb'],
      { files: true, containers: true, sharedServer: true },
      'mariadb-container',
      { kind: 'mariadb-container' },
    ],
    [['mariadb'], nothing, 'sqlite', { kind: 'impossible', reason: expect.stringContaining('no longer lists') }],
    [['sqlite'], swarm, null, { kind: 'impossible', reason: expect.stringContaining('swarm') }],
    [['sqlite', 'mariadb'], swarm, null, { kind: 'mariadb-shared' }],
  ] as const)('%j with %j, currently %s', (engines, here, current, choice) => {
    expect(chooseDatabase(engines, here, current)).toEqual(choice);
  });
});

describe('database names', () => {
  test('fit the limits of the servers for the longest slug', () => {
    const tenant = { id: newId(), slug: 'a'.repeat(40), directory: '' };
    for (const slot of [0, 1] as const) {
      expect(sharedNames({ tenant, slot }).database.length).toBeLessThanOrEqual(64);
      expect(sharedNames({ tenant, slot }).user.length).toBeLessThanOrEqual(32);
    }
    const named = { tenant: { ...tenant, slug: 'two-words' }, slot: 0 as const };
    expect(sharedNames(named).database).toMatch(/^tenantry_two_words_[0-9a-f]{8}$/);
  });

  test('never equal a server’s own name, also for tenants named root or mysql', () => {
    expect(ownNames(ownerOf('root')).user).toBe('root_db');
    expect(ownNames(ownerOf('mysql')).database).toBe('mysql_db');
  });
});

describe('SQLite', () => {
  let directory = '';
  const database = createSqliteDatabase({ local: true });
  const owner = (): DatabaseOwner => ({ ...ownerOf('lite'), dataDirectory: join(directory, 'data') });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-lite-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test('creates and removes a database', async () => {
    expect(database.url(owner())).toBe(`sqlite:${join(directory, 'data', 'tenant.db')}`);
    expect(await database.check(owner(), { timeoutMs: 500 })).toMatchObject({
      status: 'unhealthy',
      error: 'there is no database file',
    });
    expect(await database.ensure(owner(), work)).toEqual({ created: true });

    const file = new BetterSqlite(join(directory, 'data', 'tenant.db'));
    file.pragma('journal_mode = WAL');
    file.exec("CREATE TABLE t (v TEXT); INSERT INTO t VALUES (printf('%.*c', 500000, 'x'))");
    const check = await database.check(owner(), { timeoutMs: 500 });
    expect(check).toEqual({ status: 'healthy', size_mb: expect.any(Number), connections: null });
    expect(check.size_mb).toBeGreaterThan(0.4);
    file.close();
    expect(await database.ensure(owner(), work)).toEqual({ created: false });
    expect((await database.check(owner(), { timeoutMs: 500 })).status).toBe('healthy');

    await database.remove(owner(), { data: false });
    await stat(join(directory, 'data', 'tenant.db'));
    await database.remove(owner(), { data: true });
    await database.remove(owner(), { data: true });
    await expect(stat(join(directory, 'data', 'tenant.db'))).rejects.toThrow('ENOENT');
  });

  test('waits for a short lock and reports a long one', async () => {
    await database.ensure(owner(), work);
    const file = new BetterSqlite(join(directory, 'data', 'tenant.db'));
    file.exec('CREATE TABLE t (v TEXT); BEGIN EXCLUSIVE');
    expect(await database.check(owner(), { timeoutMs: 200 })).toMatchObject({
      status: 'unhealthy',
      error: expect.stringContaining('locked'),
    });
    const checking = database.check(owner(), { timeoutMs: 2_000 });
    setTimeout(() => file.exec('COMMIT'), 150);
    expect(await checking).toMatchObject({ status: 'healthy' });
    file.close();
  });

  test('reports a file that is not a database as unhealthy', async () => {
    await writeFile(join(directory, 'data', 'tenant.db'), 'something else altogether'.repeat(100));
    expect(await database.check(owner(), { timeoutMs: 500 })).toMatchObject({
      status: 'unhealthy',
      error: 'file is not a database',
    });
  });

  test('leaves a database in a unit volume to the application', async () => {
    const remote = createSqliteDatabase({ local: false, files: noFiles });
    expect(remote.url(ownerOf('far'))).toBe('sqlite:/data/tenant.db');
    expect(await remote.ensure(ownerOf('far'), work)).toEqual({ created: false });
    expect(await remote.check(ownerOf('far'), { timeoutMs: 100 })).toEqual({
      status: 'healthy',
      size_mb: null,
      connections: null,
      unseen: true,
    });
  });

  test('reports the size of a database in a unit volume; a slow runtime affects nothing else', async () => {
    const sized = createSqliteDatabase({ local: false, files: { ...noFiles, size: async () => 3 * 1024 ** 2 } });
    const hanging = createSqliteDatabase({
      local: false,
      files: { ...noFiles, size: () => new Promise(() => undefined) },
    });
    const found = { status: 'healthy', connections: null, unseen: true };
    expect(await sized.check(ownerOf('far'), { timeoutMs: 10_000 })).toEqual({ ...found, size_mb: 3 });
    expect(await hanging.check(ownerOf('far'), { timeoutMs: 50 })).toEqual({ ...found, size_mb: null });
  });
});

describe('MariaDB', () => {
  let server: MariaDb;
  let port = 0;
  let shared: TenantDatabase;

  beforeAll(async () => {
    server = await startMariaDb();
    port = Number(new URL(await server.newDatabase()).port);
    shared = createSharedMariadb({ serverUrl: `mysql://root:@127.0.0.1:${port}` });
  });
  afterAll(() => server?.stop(), 30_000);

  test('shared: units may reach the server by another address than the manager', async () => {
    const forUnits = `localhost:${port}`;
    const moved = createSharedMariadb({ serverUrl: `mysql://root:@127.0.0.1:${port}`, forUnits });
    const owner = ownerOf('other-address');
    await moved.ensure(owner, work);
    expect(new URL(moved.url(owner)).host).toBe(forUnits);
    await (await createConnection(moved.url(owner))).end();
    const scratch = await moved.scratch(owner, { ...work, directory: tmpdir() });
    expect(new URL(scratch.url).host).toBe(forUnits);
    await moved.remove(owner, { data: true });
  });

  test('shared: creates it once, for the tenant alone, and removes it', async () => {
    const owner = ownerOf('two-words');
    expect(await shared.ensure(owner, work)).toEqual({ created: true });
    expect(await shared.ensure(owner, work)).toEqual({ created: false });

    const connection = await createConnection(shared.url(owner));
    await connection.query('CREATE TABLE people (name VARCHAR(200))');
    await connection.query('INSERT INTO people SELECT seq FROM seq_1_to_1000');
    const check = await shared.check(owner, { timeoutMs: 2_000 });
    expect(check).toEqual({ status: 'healthy', size_mb: expect.any(Number), connections: 1, longest_query_s: 0 });
    expect(check.size_mb).toBeGreaterThan(0);
    const [databases] = await connection.query('SHOW DATABASES');
    expect((databases as { Database: string }[]).map((row) => row.Database).sort()).toEqual([
      'information_schema',
      sharedNames(owner).database,
    ]);
    await connection.end();

    await shared.remove(owner, { data: false });
    expect(await shared.check(owner, { timeoutMs: 2_000 })).toMatchObject({
      status: 'unhealthy',
      error: 'the tenant’s account is refused',
    });
    expect(await shared.ensure(owner, work)).toEqual({ created: false });
    await shared.remove(owner, { data: true });
    await shared.remove(owner, { data: true });
    expect(await shared.ensure(owner, work)).toEqual({ created: true });
  });

  test('shared: an underscore in a name grants access to no other database', async () => {
    const owner = ownerOf('a-b');
    await shared.ensure(owner, work);
    const other = sharedNames(owner).database.replace('a_b', 'axb');
    const root = await createConnection(`mysql://root:@127.0.0.1:${port}`);
    await root.query(`CREATE DATABASE ${other}`);
    const connection = await createConnection(shared.url(owner));
    await expect(connection.query(`CREATE TABLE ${other}.t (v INT)`)).rejects.toThrow('denied');
    await connection.end();
    await root.end();
  });

  test('shared: applies a changed password immediately', async () => {
    const owner = ownerOf('changed');
    await shared.ensure(owner, work);
    const changed = { ...owner, password: 'another' };
    await shared.ensure(changed, work);
    expect(await shared.check(changed, { timeoutMs: 2_000 })).toMatchObject({ status: 'healthy' });
    expect(await shared.check(owner, { timeoutMs: 2_000 })).toMatchObject({ status: 'unhealthy' });
  });

  test('shared: reports a server that is stopped or unresponsive', async () => {
    const silent: Server = createServer((socket) => socket.resume().on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const silentPort = (silent.address() as { port: number }).port;
    const mute = createSharedMariadb({ serverUrl: `mysql://root:x@127.0.0.1:${silentPort}` });
    const check = await mute.check(ownerOf('mute'), { timeoutMs: 300 });
    expect(check).toMatchObject({ status: 'unhealthy', size_mb: null, connections: null, error: expect.any(String) });
    silent.close();

    const gone = createSharedMariadb({ serverUrl: 'mysql://root:secret@127.0.0.1:1' });
    const failure = await gone.ensure(ownerOf('gone'), work).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'database_unavailable',
      message: 'The shared database server: connection refused',
    });
  });

  test('shared: ends work when its signal aborts', async () => {
    const abort = new AbortController();
    abort.abort(new Error('cancelled'));
    await expect(shared.ensure(ownerOf('late'), { ...work, signal: abort.signal })).rejects.toThrow('cancelled');
  });

  /**
   * A stand-in for a runtime's servers: every tenant's server is the one real MariaDB, configured as the image does
   * it.
   */
  function oneServer(): DatabaseServers & { environments: Record<string, string>[] } {
    const running = new Set<string>();
    const environments: Record<string, string>[] = [];
    return {
      environments,
      missingData: async () => undefined,
      async ensure({ tenant, environment }) {
        environments.push({ ...environment });
        const root = await createConnection(`mysql://root:@127.0.0.1:${port}`);
        const { MARIADB_DATABASE: name, MARIADB_USER: user, MARIADB_PASSWORD: password } = environment;
        await root.query('CREATE DATABASE IF NOT EXISTS ??', [name]);
        await root.query("CREATE USER IF NOT EXISTS ?@'%' IDENTIFIED BY ?", [user, password]);
        await root.query("GRANT ALL ON ??.* TO ?@'%'", [name, user]);
        await root.end();
        running.add(tenant.id);
        return { host: `${tenant.slug}-db`, port: 3306 };
      },
      address: async (tenant) => (running.has(tenant.id) ? { host: '127.0.0.1', port } : undefined),
      async remove(tenant) {
        running.delete(tenant.id);
      },
      async exec() {
        throw new Error('There is no container to run a program in');
      },
    };
  }

  test('container: creates, checks and removes it', async () => {
    const servers = oneServer();
    const database = createContainerMariadb({ servers, image: 'mariadb:11.8', limits: async () => limits });
    const owner = ownerOf('green-party');
    expect(database.url(owner)).toMatch(/^mysql:\/\/green_party:.+@green-party-db:3306\/green_party$/);
    expect(await database.check(owner, { timeoutMs: 500 })).toMatchObject({
      status: 'unhealthy',
      error: 'the database server is not running',
    });

    expect(await database.ensure(owner, work)).toEqual({ created: true });
    expect(await database.ensure(owner, work)).toEqual({ created: false });
    expect(servers.environments[0]).toEqual(servers.environments[1]);
    expect(await database.check(owner, { timeoutMs: 2_000 })).toMatchObject({ status: 'healthy', connections: 0 });
    await database.remove(owner, { data: true });
    expect((await database.check(owner, { timeoutMs: 500 })).status).toBe('unhealthy');
  });

  test('container: never reports a database with data as new', async () => {
    const servers = oneServer();
    const database = createContainerMariadb({ servers, image: 'mariadb:11.8', limits: async () => limits });
    const owner = ownerOf('full');
    await database.ensure(owner, work);
    const account = await createConnection({
      host: '127.0.0.1',
      port,
      user: 'full',
      password: owner.password,
      database: 'full',
    });
    await account.query('CREATE TABLE t (v INT)');
    await account.end();
    await servers.remove(owner.tenant, { data: false });
    expect(await database.ensure(owner, work)).toEqual({ created: false });
  });

  test('container: follows a server to its new port while waiting for it', async () => {
    const servers = oneServer();
    let asked = 0;
    const moving: DatabaseServers = {
      ...servers,
      // Nothing listens on port 1: the server has just been restarted.
      address: async (tenant) => (await servers.address(tenant)) && { host: '127.0.0.1', port: ++asked > 2 ? port : 1 },
    };
    const database = createContainerMariadb({
      servers: moving,
      image: 'x',
      limits: async () => limits,
      startTimeoutMs: 30_000,
    });
    await database.ensure(ownerOf('moving'), work);
    expect(asked).toBe(3);
  });

  test('container: fails with the last error if the server never accepts the tenant', async () => {
    const servers: DatabaseServers = {
      ...oneServer(),
      ensure: async () => ({ host: 'shut-db', port: 3306 }),
      address: async () => ({ host: '127.0.0.1', port }),
    };
    const database = createContainerMariadb({ servers, image: 'x', limits: async () => limits, startTimeoutMs: 600 });
    await expect(database.ensure(ownerOf('shut'), work)).rejects.toThrow(
      'The database server could not be used within 1 s: the tenant’s account is refused',
    );
  });
});
