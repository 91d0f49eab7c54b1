import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import BetterSqlite from 'better-sqlite3';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { createContainerMariadb } from '../../../../src/adapters/databases/mariadb/container.ts';
import { DumpLines } from '../../../../src/adapters/databases/mariadb/dump-lines.ts';
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
  slot: 0,
});

async function bytesOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* inPieces(bytes: Buffer, size = 1_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('the lines of a dump', () => {
  const dump = [
    'CREATE TABLE `plain` (',
    '  `a` int',
    ');',
    'INSERT INTO `plain` VALUES',
    "(1,'a\\n(2),'),",
    "(2,'INSERT INTO `q` VALUES');",
    'INSERT INTO `plain` (`id`, `text`) VALUES (3,NULL),',
    '(4,NULL);',
    "INSERT INTO `in``line` VALUES (1,'x'),(2,'it\\'s (one)'),(3,'a value that is much longer than all the others together are');",
    '/*!50003 CREATE*/ /*!50017 DEFINER=`x`@`%`*/ /*!50003 TRIGGER t',
    '-- Dump completed on 2026-01-01',
  ];

  test.each([1, 2, 6, 7, 8, 64, 10_000])('with chunks of %i, rows are passed on and other lines replaced', (size) => {
    const lines = new DumpLines();
    const bytes = Buffer.from(dump.join('\n'));
    const seen: string[] = [];
    const out: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size)
      out.push(
        ...lines.push(bytes.subarray(at, at + size), (line) => {
          seen.push(String(line).trimEnd());
          return Buffer.from(String(line).replace('DEFINER', 'nobody'));
        }),
      );
    out.push(lines.end());
    expect(Buffer.concat(out).toString()).toBe(dump.join('\n').replace('DEFINER', 'nobody'));
    expect(seen).toEqual(dump.filter((line, at) => !/^(\(|INSERT)/.test(line) && at < dump.length - 1));
    expect(lines.longest).toEqual({ bytes: (dump[8]?.length ?? 0) + 1, table: 'in`line' });
  });

  test('a statement is measured over all its lines', () => {
    const lines = new DumpLines();
    const statement = 'INSERT INTO `t` VALUES\n(1),\n(2);\n';
    lines.push(Buffer.from(`INSERT INTO \`s\` VALUES (1);\n${statement}`));
    expect(lines.longest).toEqual({ bytes: statement.length, table: 't' });
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
    expect(() => dump.findings()).toThrow('not been read');
    const bytes = await bytesOf(dump.content);
    done = true;
    expect(await writing).toBeGreaterThan(0);
    const { contents } = dump.findings();
    expect(contents).toMatchObject({ accounts: { rows: 2 }, nothing: { rows: 0 }, 'odd`name': { rows: 5_000 } });
    const grown = await database().contents(owner, work());
    expect(grown.ledger?.rows).toBeGreaterThanOrEqual(contents?.ledger?.rows ?? 0);

    await connection.query('CREATE TABLE later (id INT)');
    await connection.end();
    await second.end();
    await database().load(owner, inPieces(bytes), work());
    expect(await database().contents(owner, work())).toEqual(contents);
    const restored = await connect(owner);
    const { sum, second: amount, moves } = await bankOf(restored);
    expect(sum).toBe(1_000);
    expect(amount).toBe(moves);
    expect(moves).toBe(contents?.ledger?.rows);
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
          .contents(owner, work())
          .catch(() => ({})),
      (contents) => 'early' in contents,
    );
    await database().load(owner, inPieces(Buffer.from('CREATE TABLE restored (id INT);\n')), work());
    goesOn.resolve();
    expect(await left).toBe('failed');
    expect(await database().contents(owner, work())).toMatchObject({ restored: { rows: 0 } });
  });

  test('a scratch database holds a dump next to the tenant’s, is used by its account, and leaves nothing behind', async () => {
    const owner = await ready('rehearsal');
    const connection = await connect(owner);
    for (const statement of [...bank, ...everything]) await connection.query(statement);
    const dump = database().dump(owner, work());
    const bytes = await bytesOf(dump.content);
    const scratch = await database().scratch(owner, work());
    await scratch.load(inPieces(bytes), work());
    expect(await scratch.contents(work())).toEqual(dump.findings().contents);
    expect(Object.keys(await scratch.schema(work()))).toEqual(['accounts', 'ledger', 'nothing', 'odd`name']);
    const databases = async () => {
      const [rows] = await connection.query<RowDataPacket[]>("SHOW DATABASES LIKE '%\\_2'");
      return rows.length;
    };
    expect(await databases()).toBe(1);
    await scratch.drop();
    expect(await databases()).toBe(0);
    await database().scratch(owner, work());
    await database().dropScratch(owner);
    expect(await databases()).toBe(0);
    expect(await database().contents(owner, work())).toEqual(dump.findings().contents);
    await connection.end();
  });

  test('what a server accepted comes back as it was, or the dump says what it does not cover', async () => {
    const owner = await ready('awkward');
    const connection = await connect(owner);
    const invisible = 'CREATE TABLE hidden (id INT PRIMARY KEY, secret INT INVISIBLE DEFAULT 7, named VARCHAR(9))';
    for (const statement of [
      invisible,
      "INSERT INTO hidden (id, secret, named) VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c')",
      'CREATE TABLE pledges (id INT PRIMARY KEY, v VARCHAR(20)) WITH SYSTEM VERSIONING',
      "INSERT INTO pledges VALUES (1, 'old'), (2, 'two')",
      "UPDATE pledges SET v = 'new' WHERE id = 1",
      'DELETE FROM pledges WHERE id = 2',
      'CREATE TABLE measured (exact DOUBLE, rough FLOAT, bits BIT(9), place POINT, doc JSON, v INT AS (bits + 1) VIRTUAL)',
      "INSERT INTO measured (exact, rough, bits, place, doc) VALUES (0.1234567890123456789, 0.25, b'101010101', POINT(1, 2), '{\"a\": 1}')",
      'CREATE TABLE memory_less (id INT) ENGINE=MyISAM',
      'INSERT INTO memory_less VALUES (1), (1)',
      'CREATE TABLE dates (d DATE, t DATETIME)',
      "SET sql_mode = 'ALLOW_INVALID_DATES'",
      "INSERT INTO dates VALUES ('2026-02-31', '2026-04-31 10:00:00'), ('0000-00-00', NULL)",
    ])
      await connection.query(statement);
    const dump = database().dump(owner, work());
    const bytes = await bytesOf(dump.content);
    const { contents, uncovered } = dump.findings();
    expect(uncovered).toEqual([{ code: 'float_digits', table: 'measured' }]);
    expect(contents).toMatchObject({ hidden: { rows: 3 }, pledges: { rows: 1 }, memory_less: { rows: 2 } });
    const scratch = await database().scratch(owner, work());
    await scratch.load(inPieces(bytes, 100_000), work());
    expect(await scratch.contents(work())).toEqual(contents);
    const [spare] = await connection.query<RowDataPacket[]>("SHOW DATABASES LIKE '%\\_2'");
    await connection.query(`USE \`${Object.values(spare[0] ?? {})[0]}\``);
    const [history] = await connection.query<RowDataPacket[]>(
      'SELECT v FROM pledges FOR SYSTEM_TIME ALL ORDER BY id, v',
    );
    expect(history.map(({ v }) => v)).toEqual(['new', 'old', 'two']);
    const [dates] = await connection.query<RowDataPacket[]>('SELECT CAST(d AS CHAR) AS d FROM dates ORDER BY d');
    expect(dates.map(({ d }) => d)).toEqual(['0000-00-00', '2026-02-31']);

    // Other values in as many rows, former ones included, are a difference.
    await connection.query("UPDATE hidden SET named = 'x' WHERE id = 3");
    await connection.query('SET @@system_versioning_alter_history = 1');
    const changed = await scratch.contents(work());
    expect(changed.hidden).toMatchObject({ rows: 3 });
    expect(changed.hidden?.checksum).not.toBe(contents?.hidden?.checksum);
    await scratch.drop();
    await connection.end();
  });

  test('a table that a transaction keeps from being locked is dumped, and counted when a copy is loaded', async () => {
    const owner = await ready('kept');
    const connection = await connect(owner);
    await connection.query('CREATE TABLE slow (id INT)');
    await connection.beginTransaction();
    await connection.query('INSERT INTO slow VALUES (1)');
    const dump = database().dump(owner, work());
    expect((await bytesOf(dump.content)).toString()).not.toContain('INSERT INTO');
    expect(dump.findings()).toEqual({ contents: null, uncovered: [] });
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
    expect(() => refused.findings()).toThrow();
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

  test('a row that a shared server would not accept again fails the dump, and names the bound', async () => {
    const owner = ownerOf('large');
    await shared.ensure(owner, work());
    const connection = await createConnection(shared.url(owner));
    const [bound] = await connection.query<RowDataPacket[]>('SELECT @@global.max_allowed_packet AS packet');
    const half = Number(bound[0]?.packet) / 2;
    await connection.query('CREATE TABLE files (id INT PRIMARY KEY, content LONGBLOB, words LONGTEXT)');
    await connection.query(`INSERT INTO files VALUES (1, REPEAT('x', ${half - 1_000}), NULL)`);
    await bytesOf(shared.dump(owner, work()).content);
    // Escaped text grows, too.
    for (const row of [`REPEAT('x', ${half + 1_000}), NULL`, `NULL, REPEAT(CHAR(39), ${half + 1_000})`]) {
      await connection.query(`REPLACE INTO files VALUES (1, ${row})`);
      await expect(bytesOf(shared.dump(owner, work()).content)).rejects.toThrow(
        /could not be loaded again: a row of the table files needs .* Set max_allowed_packet on the server to at least \d+M/,
      );
    }
    await connection.end();
  });

  test('a refused statement is reported by its code, without the tenant’s data', async () => {
    const owner = ownerOf('private');
    await shared.ensure(owner, work());
    const sql =
      "CREATE TABLE t (a VARCHAR(99) PRIMARY KEY);\nINSERT INTO t VALUES ('ann@example.org'),('ann@example.org');\n";
    const message = await shared.load(owner, inPieces(Buffer.from(sql)), work()).then(String, String);
    expect(message).toMatch(/ERROR 1062 \(23000\) at line 2: Duplicate entry …/);
    expect(message).not.toContain('example.org');
  });
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
      expect(await database.contents(owner, work())).toEqual(dump.findings().contents);
      expect(dump.findings().contents).toMatchObject({ accounts: { rows: 2 }, filler: { rows: 5_000 } });
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
    expect(await scratch.contents(work())).toEqual({ t: { rows: 500 } });
    await database.dropScratch(owner);
    expect((await readdir(owner.dataDirectory)).sort()).toEqual(['photo.jpg', 'tenant.db']);
    expect((await readdir(directory)).filter((name) => /copy-|load-/.test(name))).toEqual([]);
  });
});
