import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { QueryTypes, type Transaction } from 'sequelize';
import { type LeaseTable, openLeaseTable } from '../../../../src/adapters/store/lease.ts';
import type { Store } from '../../../../src/adapters/store/store.ts';
import { openManagerStore } from '../../../../src/app/lifecycle/manager-store.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { describeMariaDb } from '../../../harness/servers/mariadb.ts';
import { type MariaDb, startMariaDb } from '../../../harness/servers/mariadb-server.ts';

const contender = (holder: string) => ({ holder, version: '1.0.0', bootId: '' });

describeMariaDb('the lease of a store', () => {
  let server: MariaDb;
  let address: string;
  const tables: LeaseTable[] = [];
  const stores: Store[] = [];

  async function openTable(): Promise<LeaseTable> {
    const table = await openLeaseTable(address);
    tables.push(table);
    return table;
  }
  /** A store whose writes depend on this token. */
  async function storeWith(token: number): Promise<Store> {
    const onLost = () => {
      throw new Error('lost');
    };
    const store = await openManagerStore(address, createLogger({ level: 'silent' }), { token, onLost });
    stores.push(store);
    return store;
  }
  const insert = (store: Store, name: string, transaction?: Transaction) =>
    store.sequelize.query('INSERT INTO store_facts (name, value) VALUES (?, ?)', {
      replacements: [name, 'x'],
      ...(transaction ? { transaction } : {}),
    });
  const names = async (store: Store): Promise<string[]> => {
    const rows = await store.sequelize.query<{ name: string }>('SELECT name FROM store_facts', {
      type: QueryTypes.SELECT,
    });
    return rows.map(({ name }) => name);
  };

  beforeAll(async () => {
    server = await startMariaDb();
  });
  beforeEach(async () => {
    address = await server.newDatabase();
  });
  afterEach(async () => {
    await Promise.all([...stores.splice(0), ...tables.splice(0)].map((open) => open.close().catch(() => undefined)));
  });
  afterAll(() => server.stop());

  test('of managers that start at the same moment one gets it', async () => {
    const contenders = await Promise.all(Array.from({ length: 6 }, () => openTable()));
    const tokens = await Promise.all(contenders.map((table, index) => table.take(0, contender(`host-${index}`))));
    expect(tokens.filter((token) => token !== undefined)).toEqual([1]);
    const winner = tokens.indexOf(1);
    expect(await contenders[0]?.read()).toEqual({
      holder: `host-${winner}`,
      token: 1,
      version: '1.0.0',
      bootId: '',
      isExpired: false,
      isOver: false,
    });
  });

  test('renewed by its holder alone; given back, it has no holder', async () => {
    const table = await openTable();
    expect(await table.take(0, contender('first'))).toBe(1);
    expect(await table.renew(1)).toBe(true);
    expect(await table.take(1, contender('second'))).toBe(2);
    expect(await table.renew(1)).toBe(false);
    await table.giveBack(1);
    expect((await table.read()).holder).toBe('second');
    await table.giveBack(2);
    expect((await table.read()).holder).toBe('');
  });

  test('it is held for 15 s by the database’s clock, from each renewal on', async () => {
    const table = await openTable();
    const clock = await storeWith(0);
    const ask = async (sql: string): Promise<number> => {
      const [row] = await clock.sequelize.query<{ ms: string }>(sql, { type: QueryTypes.SELECT });
      return Number(row?.ms);
    };
    const now = () => ask('SELECT UNIX_TIMESTAMP(UTC_TIMESTAMP(3)) * 1000 AS ms');
    const heldFor = async (prove: () => Promise<unknown>): Promise<void> => {
      const before = await now();
      await prove();
      const after = await now();
      const expiry = await ask(
        "SELECT UNIX_TIMESTAMP(expires_at) * 1000 AS ms FROM manager_lease WHERE name = 'manager'",
      );
      expect(expiry - before).toBeGreaterThanOrEqual(15_000);
      expect(expiry - after).toBeLessThanOrEqual(15_000);
    };
    await heldFor(() => table.take(0, contender('first')));
    await heldFor(() => table.renew(1));
  });

  test('after a takeover the old holder changes nothing, neither with a transaction nor without, and reads on', async () => {
    const table = await openTable();
    await table.take(0, contender('first'));
    const old = await storeWith(1);
    await insert(old, 'before');
    await table.take(1, contender('second'));
    await expect(insert(old, 'late')).rejects.toThrow('lost');
    await expect(old.transaction((transaction) => insert(old, 'late', transaction))).rejects.toThrow('lost');
    await expect(old.sequelize.query('DELETE FROM store_facts')).rejects.toThrow('lost');
    await expect(old.sequelize.query("UPDATE store_facts SET value = 'late'")).rejects.toThrow('lost');
    expect(await names(old)).toEqual(['before']);
  });

  test('a takeover waits for a transaction that ends', async () => {
    const table = await openTable();
    await table.take(0, contender('first'));
    const old = await storeWith(1);
    const taken: (number | undefined)[] = [];
    let takeover: Promise<unknown> = Promise.resolve();
    await old.transaction(async (transaction) => {
      await insert(old, 'first half', transaction);
      takeover = table.take(1, contender('second')).then((token) => taken.push(token));
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(taken).toEqual([]);
      await insert(old, 'second half', transaction);
    });
    await takeover;
    expect(taken).toEqual([2]);
    expect(await names(old)).toEqual(['first half', 'second half']);
  });

  test('a takeover ends a transaction that does not end: nothing of it stays', async () => {
    const table = await openTable();
    await table.take(0, contender('first'));
    const old = await storeWith(1);
    const transaction = await old.sequelize.transaction();
    await insert(old, 'half', transaction);
    expect(await table.take(1, contender('second'))).toBeUndefined();
    expect(await table.take(1, contender('second'))).toBe(2);
    await expect(transaction.commit()).rejects.toThrow();
    const next = await storeWith(2);
    expect(await names(next)).toEqual([]);
    await insert(next, 'after');
    expect(await names(next)).toEqual(['after']);
  });

  test('under parallel writes of both, none of the old holder follows one of the new', async () => {
    const table = await openTable();
    await table.take(0, contender('first'));
    const old = await storeWith(1);
    await old.sequelize.query(
      'CREATE TABLE writes (number BIGINT AUTO_INCREMENT PRIMARY KEY, token INT, at DATETIME(6) DEFAULT SYSDATE(6))',
    );
    const write = async (store: Store, token: number, inTransaction: boolean): Promise<void> => {
      const run = (transaction?: Transaction) =>
        store.sequelize.query('INSERT INTO writes (token) VALUES (?)', {
          replacements: [token],
          ...(transaction ? { transaction } : {}),
        });
      await (inTransaction ? store.transaction(run) : run());
    };
    let refused = 0;
    const writers = Array.from({ length: 8 }, async (_, index) => {
      try {
        // Far more than fit between the start and the takeover.
        for (let count = 0; count < 5_000; count += 1) await write(old, 1, index % 2 === 0);
      } catch {
        refused += 1;
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    let token: number | undefined;
    while (token === undefined) token = await table.take(1, contender('second'));
    const next = await storeWith(token);
    await Promise.all([...writers, ...Array.from({ length: 20 }, () => write(next, 2, false))]);
    const [row] = await next.sequelize.query<{ old: number; late: number }>(
      `SELECT SUM(token = 1) AS old, SUM(token = 1 AND number > (SELECT MIN(number) FROM writes WHERE token = 2)) AS late
        FROM writes`,
      { type: QueryTypes.SELECT },
    );
    expect([Number(row?.old) > 0, Number(row?.late), refused]).toEqual([true, 0, 8]);
  });
});
