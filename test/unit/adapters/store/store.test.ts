import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { QueryTypes } from 'sequelize';
import { refuseDuplicate } from '../../../../src/adapters/store/conflicts.ts';
import type { Store } from '../../../../src/adapters/store/store.ts';
import { defineTable, id, instant, integer, json, key, tableIn, text } from '../../../../src/adapters/store/table.ts';
import { openManagerStore } from '../../../../src/app/lifecycle/manager-store.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { addTenant } from '../../../harness/data/tenant-row.ts';
import { eachStore } from '../../../harness/servers/mariadb.ts';

const quiet = createLogger({ level: 'silent' });

const settingsOf = (store: Store) =>
  tableIn(store, defineTable('settings', { key: key(text(100)), value: json<unknown>(), updatedAt: instant }));

const portsOf = (store: Store) =>
  tableIn(
    store,
    defineTable('port_allocations', { port: key(integer), tenantId: id, role: text(20), allocatedAt: instant }),
  );

/** The query plan as text. */
async function planOf({ sequelize }: Store, sql: string): Promise<string> {
  const sqlite = sequelize.getDialect() === 'sqlite';
  const rows = await sequelize.query(`${sqlite ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'} ${sql}`, {
    type: QueryTypes.SELECT,
    raw: true,
  });
  return JSON.stringify(rows);
}

eachStore('store', (store, address) => {
  test('has its tables once, and completes those that an interrupted start made', async () => {
    const { sequelize, facts } = store();
    const versions = () => sequelize.query('SELECT name, complete FROM schema_version', { type: QueryTypes.SELECT });
    const whole = [{ name: (await facts()).schema, complete: 1 }];
    expect(await versions()).toEqual(whole);
    if (sequelize.getDialect() === 'mysql') {
      await sequelize.query('UPDATE schema_version SET complete = 0');
      await sequelize.query('DROP TABLE upgrade_failures');
    }
    await (await openManagerStore(address(), quiet)).close();
    expect(await versions()).toEqual(whole);
    expect(await sequelize.query('SELECT * FROM upgrade_failures', { type: QueryTypes.SELECT })).toEqual([]);
  });

  test('reports its kind and size', async () => {
    const { dialect, version, bytes, schema } = await store().facts();
    expect(address().startsWith(dialect)).toBe(true);
    expect(version).toMatch(/^\d+\.\d+/);
    expect(bytes).toBeGreaterThan(10_000);
    expect(schema).toMatch(/^baseline-[0-9a-f]{12}$/);
  });

  test('returns values unchanged: milliseconds, every script, long texts, JSON', async () => {
    const settings = settingsOf(store());
    const values = [
      '🏳️‍🌈 Ünïcödé 漢字',
      'quote \' " ` \\ % _ ; --',
      'x'.repeat(300_000),
      { a: [1, null, { b: 'ß' }] },
      1.5,
      true,
    ];
    for (const [index, value] of values.entries()) {
      const updatedAt = new Date(Date.UTC(2026, 10, 20, 11, 0, 0, index === 0 ? 7 : 990 + index));
      await settings.insert({ key: `value-${index}`, value, updatedAt });
      expect(await settings.find({ key: `value-${index}` })).toEqual({ key: `value-${index}`, value, updatedAt });
    }
    await settings.update({ value: { changed: '✓' } }, { key: 'value-0' });
    expect((await settings.find({ key: 'value-0' }))?.value).toEqual({ changed: '✓' });
  });

  test('plain SQL accepts any values, single and in lists', async () => {
    const settings = settingsOf(store());
    const keys = ["it's $1", 'a$b :c $$ \\ "', 'plain-word', 'other_word'];
    const updatedAt = new Date(Date.UTC(2026, 10, 20, 11, 0, 0, 7));
    for (const key of keys) await settings.insert({ key, value: key, updatedAt });
    const found = (list: string[], limit = 9) =>
      store().select<{ key: string; updatedAt: unknown }>(
        'SELECT `key`, updated_at AS updatedAt FROM settings WHERE `key` IN (:list) OR `key` = :one ORDER BY `key` LIMIT :limit',
        { list, one: list[0], limit },
      );
    for (const key of keys) expect((await found([key])).map((row) => row.key)).toEqual([key]);
    expect((await found(keys)).map((row) => row.key).sort()).toEqual([...keys].sort());
    expect(await found(keys.slice(2))).toHaveLength(2);
    expect(await found(keys, 3)).toHaveLength(3);
    expect((await found(keys)).map((row) => instant.parse(row.updatedAt))).toEqual(keys.map(() => updatedAt));
    await store().transaction(async (transaction) => {
      await settings.insert({ key: 'inside', value: 1, updatedAt }, transaction);
      expect(
        await store().select('SELECT 1 FROM settings WHERE `key` = :key', { key: 'inside' }, transaction),
      ).toHaveLength(1);
    });
    expect(await store().select('SELECT :nothing IS NULL AS missing', { nothing: null })).toEqual([{ missing: 1 }]);
  });

  test.each(['1000-01-01', '2000-02-29', '2199-12-31'])('an instant of %s comes back as it was', async (day) => {
    const updatedAt = new Date(`${day}T12:30:00.000Z`);
    await settingsOf(store()).upsert({ key: day, value: day, updatedAt });
    expect((await settingsOf(store()).find({ key: day }))?.updatedAt).toEqual(updatedAt);
  });

  test('rejects a text that is too long for its column instead of truncating it', async () => {
    const settings = settingsOf(store());
    const long = settings.insert({ key: 'k'.repeat(101), value: 1, updatedAt: new Date() });
    // SQLite has no lengths and stores the whole text.
    if (store().sequelize.getDialect() === 'sqlite') {
      await long;
      expect(await settings.find({ key: 'k'.repeat(101) })).toBeDefined();
    } else await expect(long).rejects.toThrow(/too long/);
  });

  test('reports a duplicate of a unique value by its own error, in any case', async () => {
    const settings = settingsOf(store());
    const row = { key: 'unique', value: 1, updatedAt: new Date() };
    await settings.insert(row);
    await settings.insert({ ...row, key: 'Unique' });
    const taken = new Error('taken');
    await expect(refuseDuplicate(settings.insert(row), () => taken)).rejects.toBe(taken);
  });

  test('enforces references, and deletes a tenant’s records with it', async () => {
    const ports = portsOf(store());
    await expect(
      ports.insert({ port: 4_000, tenantId: 'nobody', role: 'frontend', allocatedAt: new Date() }),
    ).rejects.toThrow(/foreign key/i);
    await addTenant(store(), 'cascade');
    await ports.insert({ port: 4_000, tenantId: 'cascade', role: 'frontend', allocatedAt: new Date() });
    await store().sequelize.getQueryInterface().bulkDelete('tenants', { id: 'cascade' });
    expect(await ports.count({ tenantId: 'cascade' })).toBe(0);
    await store().transaction(async (transaction) => {
      const inside = ports.insert(
        { port: 4_001, tenantId: 'nobody', role: 'frontend', allocatedAt: new Date() },
        transaction,
      );
      await expect(inside).rejects.toThrow(/foreign key/i);
    });
  });

  test('rolls back a failed transaction completely', async () => {
    const settings = settingsOf(store());
    const failing = store().transaction(async (transaction) => {
      await settings.insert({ key: 'half', value: 1, updatedAt: new Date() }, transaction);
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(await settings.find({ key: 'half' })).toBeUndefined();
  });

  test('rejects a nested transaction; a transaction started inside that outlives it may run', async () => {
    const nested = store().transaction(() => store().transaction(async () => 1));
    await expect(nested).rejects.toThrow('inside another');
    let later: Promise<number> | undefined;
    await store().transaction(async () => {
      later = sleep(50).then(() => store().transaction(async () => 2));
    });
    expect(await later).toBe(2);
  });

  test('50 concurrent transactions that read, then write under a lock lose no update', async () => {
    const settings = settingsOf(store());
    await settings.insert({ key: 'counter', value: 0, updatedAt: new Date() });
    const count = (): Promise<void> =>
      store().transaction(async (transaction) => {
        await store().lock('counter', transaction);
        const row = await settings.find({ key: 'counter' }, transaction);
        await settings.update({ value: Number(row?.value) + 1 }, { key: 'counter' }, transaction);
      });
    const plain = (index: number) =>
      settings.insert({ key: `concurrent-${index}`, value: index, updatedAt: new Date() });
    await Promise.all(Array.from({ length: 50 }, (_, index) => Promise.all([count(), plain(index)])));
    expect((await settings.find({ key: 'counter' }))?.value).toBe(50);
  });

  test('two stores on one database wait for each other', async () => {
    const other = await openManagerStore(address(), quiet);
    const settings = [settingsOf(store()), settingsOf(other)] as const;
    await settings[0].insert({ key: 'shared', value: 0, updatedAt: new Date() });
    const count = (which: 0 | 1): Promise<void> => {
      const its = which === 0 ? store() : other;
      return its.transaction(async (transaction) => {
        await its.lock('shared', transaction);
        const row = await settings[which].find({ key: 'shared' }, transaction);
        const value = Number(row?.value) + 1;
        await settings[which].update({ value }, { key: 'shared' }, transaction);
      });
    };
    await Promise.all(Array.from({ length: 40 }, (_, index) => count(index % 2 === 0 ? 0 : 1)));
    await other.close();
    expect((await settings[0].find({ key: 'shared' }))?.value).toBe(40);
  });

  test('retries transactions after a deadlock', async () => {
    const settings = settingsOf(store());
    for (const key of ['left', 'right']) await settings.insert({ key, value: 0, updatedAt: new Date() });
    const raise = (keys: readonly string[]): Promise<void> =>
      store().transaction(async (transaction) => {
        for (const key of keys) {
          const row = await settings.model.findByPk(key, { transaction, lock: transaction.LOCK.UPDATE });
          await settings.update({ value: Number(row?.get('value')) + 1 }, { key }, transaction);
        }
      });
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => raise(index % 2 ? ['left', 'right'] : ['right', 'left'])),
    );
    expect((await settings.find({ key: 'left' }))?.value).toBe(10);
    expect((await settings.find({ key: 'right' }))?.value).toBe(10);
  });

  test('reads pages of plain lists along an index', async () => {
    const lists = [
      'SELECT id FROM tenants ORDER BY created_at DESC, id DESC LIMIT 50',
      "SELECT id FROM tenants WHERE status = 'running' ORDER BY created_at DESC, id DESC LIMIT 50",
      "SELECT tenant_id FROM tenant_domains WHERE tenant_id IN ('a', 'b')",
      "SELECT port FROM port_allocations WHERE tenant_id IN ('a', 'b')",
      'SELECT id FROM log_entries ORDER BY seq DESC LIMIT 100',
      "SELECT id FROM log_entries WHERE tenant_id = 'a' ORDER BY seq DESC LIMIT 100",
      "SELECT id FROM log_entries WHERE category = 'audit' ORDER BY seq DESC LIMIT 100",
      "SELECT id FROM log_entries WHERE level = 'error' ORDER BY seq DESC LIMIT 100",
      "SELECT id FROM log_entries WHERE category = 'audit' AND level = 'error' ORDER BY seq DESC LIMIT 100",
      "SELECT seq FROM log_entries WHERE created_at < '2020-01-01'",
      "SELECT id FROM deployments WHERE tenant_id = 'a' ORDER BY created_at DESC LIMIT 50",
    ];
    for (const list of lists)
      expect([list, await planOf(store(), list)]).toEqual([
        list,
        expect.not.stringMatching(/temp b-tree|filesort|"type":"ALL"|SCAN (?!.*INDEX|.*log_entries)/i),
      ]);
  });

  test('reports a database that has stopped as unavailable', async () => {
    const other = await openManagerStore(address(), quiet);
    await other.close();
    await expect(other.ping()).rejects.toMatchObject({ code: 'database_unavailable' });
  });
});

test('rejects an invalid database address without showing it', async () => {
  await expect(openManagerStore('postgres://user:secret@host/db', quiet)).rejects.toThrow(/must be sqlite/);
  await expect(openManagerStore('sqlite:', quiet)).rejects.not.toThrow(/secret/);
});

test('SQLite keeps a write-ahead log next to its file, both private', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-store-'));
  const store = await openManagerStore(`sqlite:${join(directory, 'deep', 'tenantry.db')}`, quiet);
  expect(await store.sequelize.query('PRAGMA journal_mode', { type: QueryTypes.SELECT })).toEqual([
    { journal_mode: 'wal' },
  ]);
  for (const name of ['tenantry.db', 'tenantry.db-wal'])
    expect((await stat(join(directory, 'deep', name))).mode & 0o777).toBe(0o600);
  await store.close();
  await rm(directory, { recursive: true });
});
