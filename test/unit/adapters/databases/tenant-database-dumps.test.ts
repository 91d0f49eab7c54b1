import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import BetterSqlite from 'better-sqlite3';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { createContainerMariadb } from '../../../../src/adapters/databases/mariadb/container.ts';
import { DumpScanner } from '../../../../src/adapters/databases/mariadb/dump-scanner.ts';
import { createSharedMariadb } from '../../../../src/adapters/databases/mariadb/shared.ts';
import { createSqliteDatabase } from '../../../../src/adapters/databases/sqlite/sqlite.ts';
import type { DatabaseOwner, TenantDatabase } from '../../../../src/adapters/databases/tenant-database.ts';
import { newId } from '../../../../src/lib/ids.ts';
import { until } from '../../../harness/data/tenants.ts';
import { testRuntime } from '../../../harness/engine/docker-runtime.ts';
import { describeWithEngine } from '../../../harness/engine/engine.ts';
import { type MariaDb, startMariaDb } from '../../../harness/servers/mariadb-server.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-dumps-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const work = (signal = new AbortController().signal) => ({ log: () => undefined, signal, directory });
const ownerOf = (slug: string): DatabaseOwner => ({
  tenant: { id: newId(), slug, directory: join(directory, slug) },
  password: `p:${slug}'\\"/@%`,
  dataDirectory: join(directory, slug, 'data'),
});

async function bytesOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* inPieces(bytes: Buffer, size = 1_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('counting the rows of a dump', () => {
  const dump = [
    'CREATE TABLE `plain` (',
    'CREATE TABLE `empty` (',
    'INSERT INTO `plain` VALUES',
    "(1,'a\\n(2),'),",
    "(2,'INSERT INTO `q` VALUES');",
    'INSERT INTO `plain` (`id`, `text`) VALUES',
    '(3,NULL);',
    "INSERT INTO `in``line` VALUES (1,'x'),(2,'it\\'s (one)'),(3,point(1,2));",
    'DELIMITER ;;',
    'CREATE PROCEDURE p() begin',
    'INSERT INTO `plain` VALUES',
    '(9);',
    'end ;;',
    'DELIMITER ;',
    '-- Dump completed on 2026-01-01',
    '',
  ].join('\n');

  test.each([1, 2, 7, 64, 10_000])('counts exactly with chunks of %i', (size) => {
    const scanner = new DumpScanner();
    const bytes = Buffer.from(dump);
    for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size));
    expect(scanner.counts).toEqual({ plain: 3, empty: 0, 'in`line': 3 });
  });
});

/**
 * Two accounts whose sum never changes, and a ledger with a row for each transfer: every snapshot must be consistent.
 */
const bank = [
  "CREATE TABLE accounts (id INT PRIMARY KEY, amount INT, note VARCHAR(200), raw VARBINARY(50)) COMMENT 'it''s'",
  'CREATE TABLE ledger (id INT PRIMARY KEY AUTO_INCREMENT, moved INT)',
  'CREATE TABLE nothing (id INT)',
  'CREATE TABLE `odd``name` (id INT)',
];
const everything = [
  'CREATE VIEW rich AS SELECT id FROM accounts WHERE amount > 500',
  'CREATE TRIGGER before_nothing BEFORE INSERT ON nothing FOR EACH ROW SET NEW.id = NEW.id + 1',
  'CREATE PROCEDURE twice(x INT) SELECT x * 2 AS doubled',
  'CREATE FUNCTION thrice(x INT) RETURNS INT DETERMINISTIC RETURN x * 3',
  "INSERT INTO accounts VALUES (1, 1000, 'tab\\tline\\nquote\\'(1),(2);', x'00ff27'), (2, 0, 'žluťoučký 🐎', NULL)",
  'INSERT INTO `odd``name` SELECT seq FROM seq_1_to_5000',
];

async function transfers(connection: Connection, until: () => boolean): Promise<number> {
  for (let count = 0; ; count += 1) {
    if (until()) return count;
    await connection.beginTransaction();
    await connection.query('UPDATE accounts SET amount = amount - 1 WHERE id = 1');
    await connection.query('UPDATE accounts SET amount = amount + 1 WHERE id = 2');
    await connection.query('INSERT INTO ledger (moved) VALUES (1)');
    await connection.commit();
  }
}

async function bankOf(connection: Connection): Promise<{ sum: number; second: number; moves: number }> {
  const [rows] = await connection.query<RowDataPacket[]>(
    'SELECT SUM(amount) AS sum, (SELECT amount FROM accounts WHERE id = 2) AS second, (SELECT COUNT(*) FROM ledger) AS moves FROM accounts',
  );
  return { sum: Number(rows[0]?.sum), second: Number(rows[0]?.second), moves: Number(rows[0]?.moves) };
}

function suite(
  database: () => TenantDatabase,
  connect: (owner: DatabaseOwner) => Promise<Connection>,
  ready: (slug: string) => Promise<DatabaseOwner>,
): void {
  test('a dump of a database in use is one consistent snapshot and restores exactly, also into another tenant', async () => {
    const owner = await ready('busy');
    const connection = await connect(owner);
    for (const statement of [...bank, ...everything]) await connection.query(statement);
    const second = await connect(owner);
    let done = false;
    const writing = transfers(second, () => done);
    await sleep(100);
    const dump = database().dump(owner, work());
    expect(() => dump.rowCounts()).toThrow('not been read');
    const bytes = await bytesOf(dump.content);
    done = true;
    expect(await writing).toBeGreaterThan(0);
    const counts = dump.rowCounts();
    expect(counts).toMatchObject({ accounts: 2, nothing: 0, 'odd`name': 5_000 });
    const grown = await database().rowCounts(owner, work());
    expect(grown.ledger).toBeGreaterThanOrEqual(counts.ledger ?? 0);

    await connection.query('CREATE TABLE later (id INT)');
    await connection.end();
    await second.end();
    await database().load(owner, inPieces(bytes), work());
    expect(await database().rowCounts(owner, work())).toEqual(counts);
    const restored = await connect(owner);
    const { sum, second: amount, moves } = await bankOf(restored);
    expect(sum).toBe(1_000);
    expect(amount).toBe(moves);
    expect(moves).toBe(counts.ledger);
    const [texts] = await restored.query<RowDataPacket[]>('SELECT note, HEX(raw) AS raw FROM accounts ORDER BY id');
    expect(texts).toEqual([
      { note: "tab\tline\nquote'(1),(2);", raw: '00FF27' },
      { note: 'žluťoučký 🐎', raw: null },
    ]);
    const [tripled] = await restored.query<RowDataPacket[]>('SELECT thrice(2) AS n, (SELECT COUNT(*) FROM rich) AS r');
    expect(tripled[0]).toMatchObject({ n: 6 });
    await restored.query('INSERT INTO nothing VALUES (1)');
    const [triggered] = await restored.query<RowDataPacket[]>('SELECT id FROM nothing');
    expect(triggered).toEqual([{ id: 2 }]);
    await restored.end();

    const other = await ready('other');
    await database().load(other, inPieces(bytes), work());
    const elsewhere = await connect(other);
    expect(await bankOf(elsewhere)).toEqual({ sum: 1_000, second: moves, moves });
    await elsewhere.query('SELECT * FROM rich');
    await elsewhere.query('CALL twice(2)');
    await elsewhere.end();
  });

  test('a load ends one that another manager left: what that one sends later changes nothing', async () => {
    const owner = await ready('taken');
    const goesOn = Promise.withResolvers<void>();
    async function* slowly(): AsyncGenerator<Buffer> {
      yield Buffer.from('CREATE TABLE early (id INT);\n');
      await goesOn.promise;
      yield Buffer.from('CREATE TABLE late (id INT);\n');
    }
    const left = database()
      .load(owner, slowly(), work())
      .then(
        () => 'loaded',
        () => 'failed',
      );
    await until(
      // The load ends other connections of the account first.
      () =>
        database()
          .rowCounts(owner, work())
          .catch(() => ({})),
      (counts) => 'early' in counts,
    );
    await database().load(owner, inPieces(Buffer.from('CREATE TABLE restored (id INT);\n')), work());
    goesOn.resolve();
    expect(await left).toBe('failed');
    expect(await database().rowCounts(owner, work())).toEqual({ restored: 0 });
  });

  test('a scratch database holds a dump next to the tenant’s, is used by its account, and leaves nothing behind', async () => {
    const owner = await ready('rehearsal');
    const connection = await connect(owner);
    for (const statement of [...bank, ...everything]) await connection.query(statement);
    const dump = database().dump(owner, work());
    const bytes = await bytesOf(dump.content);
    const scratch = await database().scratch(owner, work());
    await scratch.load(inPieces(bytes), work());
    expect(await scratch.rowCounts(work())).toEqual(dump.rowCounts());
    expect(Object.keys(await scratch.schema(work()))).toEqual(['accounts', 'ledger', 'nothing', 'odd`name']);
    const databases = async () => {
      const [rows] = await connection.query<RowDataPacket[]>("SHOW DATABASES LIKE 'tntscratch%'");
      return rows.length;
    };
    expect(await databases()).toBe(1);
    await scratch.drop();
    expect(await databases()).toBe(0);
    await database().scratch(owner, work());
    await database().dropScratchDatabases(owner);
    expect(await databases()).toBe(0);
    expect(await database().rowCounts(owner, work())).toEqual(dump.rowCounts());
    await connection.end();
  });

  test('a dump cannot make the client run a program', async () => {
    const owner = await ready('sandbox');
    const trace = join(await mkdtemp(join(tmpdir(), 'tenantry-trace-')), 'trace');
    const statements = `SELECT 1;\n\\! touch ${trace}\nSELECT 2;\n`;
    const loaded = database().load(owner, inPieces(Buffer.from(statements)), work());
    await expect(loaded).rejects.toThrow(/line 2.*sandbox/is);
    await expect(stat(trace)).rejects.toThrow('ENOENT');
    await rm(dirname(trace), { recursive: true });
  });

  test('reports what cannot be dumped or loaded, and ends a cancelled dump', async () => {
    const owner = await ready('wrong');
    const refused = database().dump({ ...owner, password: 'another' }, work());
    await expect(bytesOf(refused.content)).rejects.toThrow(/could not be dumped.*[Aa]ccess denied/s);
    expect(() => refused.rowCounts()).toThrow();
    const loaded = (statement: string) => database().load(owner, inPieces(Buffer.from(statement)), work());
    await expect(loaded('SELEKT 1;\n')).rejects.toMatchObject({
      name: 'RefusedContent',
      message: expect.stringMatching(/syntax/),
    });
    // The ended statement says nothing about the dump.
    await expect(loaded('KILL QUERY CONNECTION_ID();\n')).rejects.toMatchObject({ name: 'Error' });
    const broken = async function* () {
      yield Buffer.from('SELECT 1;\n');
      throw new Error('the file ended too soon');
    };
    await expect(database().load(owner, broken(), work())).rejects.toThrow('the file ended too soon');

    const cancel = new AbortController();
    const endless = async function* () {
      for (;;) {
        yield Buffer.from('DO SLEEP(0.05);\n');
        await sleep(20);
      }
    };
    const loading = database().load(owner, endless(), work(cancel.signal));
    setTimeout(() => cancel.abort(new Error('enough')), 300);
    await expect(loading).rejects.toThrow('enough');
  });
}

describe('dumps of a shared MariaDB', () => {
  let server: MariaDb;
  let shared: TenantDatabase;
  beforeAll(async () => {
    server = await startMariaDb();
    shared = createSharedMariadb({ serverUrl: server.adminUrl });
  });
  afterAll(() => server?.stop());

  suite(
    () => shared,
    (owner) => createConnection(shared.url(owner)),
    async (slug) => {
      const owner = ownerOf(slug);
      await shared.ensure(owner, work());
      return owner;
    },
  );
});

describeWithEngine('dumps of a MariaDB container', () => {
  const runtime = testRuntime();
  const servers = runtime.databaseServers;
  if (!servers) throw new Error('The docker runtime has database servers');
  const limits = { memoryMb: 512, cpus: 1, pids: 256 };
  const database = createContainerMariadb({ servers, image: 'mariadb:11.8', limits: async () => limits });
  const owners: DatabaseOwner[] = [];
  afterAll(async () => {
    for (const { tenant } of owners) {
      await servers.remove(tenant, { data: true });
      await runtime.removeTenant(tenant, { data: true });
    }
  });

  suite(
    () => database,
    async (owner) => {
      const url = new URL(database.url(owner));
      const address = await servers.address(owner.tenant);
      return createConnection({
        host: address?.host ?? '',
        port: address?.port ?? 0,
        user: url.username,
        password: owner.password,
        database: url.pathname.slice(1),
      });
    },
    async (slug) => {
      const owner = ownerOf(`${slug}-${newId().slice(0, 6)}`);
      owners.push(owner);
      await database.ensure(owner, work());
      return owner;
    },
  );
});

describe('dumps of SQLite', () => {
  const database = createSqliteDatabase({ local: true });
  const open = async (owner: DatabaseOwner) => {
    await mkdir(owner.dataDirectory, { recursive: true });
    return new BetterSqlite(join(owner.dataDirectory, 'tenant.db'));
  };

  test.each(['wal', 'delete'])(
    'journal mode %s: a database in use restores exactly from one consistent snapshot',
    async (mode) => {
      const owner = ownerOf(`lite-${mode}`);
      const file = await open(owner);
      file.pragma(`journal_mode = ${mode}`);
      file.exec(
        'CREATE TABLE accounts (id INTEGER PRIMARY KEY, amount INT); CREATE TABLE ledger (id INTEGER PRIMARY KEY)',
      );
      file.exec('CREATE TABLE filler (text TEXT); INSERT INTO accounts VALUES (1, 100000), (2, 0)');
      const fill = file.prepare("INSERT INTO filler VALUES (printf('%.*c', 1000, 'x'))");
      file.transaction(() => {
        for (let row = 0; row < 5_000; row += 1) fill.run();
      })();
      const move = file.transaction(() => {
        file.exec('UPDATE accounts SET amount = amount - 1 WHERE id = 1');
        file.exec('UPDATE accounts SET amount = amount + 1 WHERE id = 2; INSERT INTO ledger DEFAULT VALUES');
      });
      let moves = 0;
      const moving = setInterval(() => {
        move();
        moves += 1;
      }, 1);
      const dump = database.dump(owner, work());
      const bytes = await bytesOf(dump.content);
      clearInterval(moving);
      expect(moves).toBeGreaterThan(0);
      file.exec('DELETE FROM filler');
      file.close();
      await database.load(owner, inPieces(bytes, 65_536), work());
      const restored = await open(owner);
      const amount = restored.prepare('SELECT amount FROM accounts WHERE id = 2').pluck().get();
      expect(restored.prepare('SELECT SUM(amount) FROM accounts').pluck().get()).toBe(100_000);
      expect(restored.prepare('SELECT COUNT(*) FROM ledger').pluck().get()).toBe(amount);
      restored.close();
      expect(await database.rowCounts(owner, work())).toEqual(dump.rowCounts());
      expect(dump.rowCounts()).toMatchObject({ accounts: 2, filler: 5_000 });
      expect((await readdir(owner.dataDirectory)).sort()).toEqual(['tenant.db']);
    },
  );

  test('does not load a damaged file, and reports a missing one', async () => {
    const owner = ownerOf('lite-broken');
    await expect(bytesOf(database.dump(owner, work()).content)).rejects.toThrow('There is no database file');
    const file = await open(owner);
    file.exec('CREATE TABLE t (v TEXT)');
    const insert = file.prepare('INSERT INTO t VALUES (?)');
    for (let row = 0; row < 500; row += 1) insert.run('x'.repeat(200));
    file.close();
    const before = await readFile(join(owner.dataDirectory, 'tenant.db'));
    const broken = Buffer.from(before);
    broken.fill(7, 8_192, 16_384);
    for (const content of [broken, before.subarray(0, 9_000), Buffer.from('no database')])
      await expect(database.load(owner, inPieces(content), work())).rejects.toMatchObject({
        name: 'RefusedContent',
        message: expect.stringMatching(/is damaged/),
      });
    expect(await readFile(join(owner.dataDirectory, 'tenant.db'))).toEqual(before);
    await writeFile(join(owner.dataDirectory, 'photo.jpg'), 'x');
    const scratch = await database.scratch(owner, work());
    await scratch.load(inPieces(before, 50_000), work());
    expect(await scratch.rowCounts(work())).toEqual({ t: 500 });
    await database.dropScratchDatabases(owner);
    expect((await readdir(owner.dataDirectory)).sort()).toEqual(['photo.jpg', 'tenant.db']);
    expect((await readdir(directory)).filter((name) => /copy-|load-/.test(name))).toEqual([]);
  });
});
