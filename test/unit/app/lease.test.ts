import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { type LeaseTable, openLeaseTable } from '../../../src/adapters/store/lease.ts';
import { takeLease } from '../../../src/app/lifecycle/lease.ts';
import { until } from '../../harness/data/tenants.ts';
import { describeMariaDb } from '../../harness/servers/mariadb.ts';
import { type MariaDb, startMariaDb } from '../../harness/servers/mariadb-server.ts';

describeMariaDb('a manager that takes the lease from one on another machine', () => {
  let server: MariaDb;
  let connection: Connection;
  let table: LeaseTable;
  let dataDirectory: string;
  let events: string[];

  beforeAll(async () => {
    server = await startMariaDb();
  });
  beforeEach(async () => {
    const address = await server.newDatabase();
    [table, connection] = [await openLeaseTable(address), await createConnection(address)];
    dataDirectory = await mkdtemp(join(tmpdir(), 'tenantry-lease-'));
    events = [];
    await table.take(0, { holder: 'other', version: '1.5.0', bootId: 'of the other machine' });
    await mkdir(dataDirectory, { recursive: true });
    await writeFile(join(dataDirectory, 'manager.token'), '1\n');
  });
  afterEach(async () => {
    await Promise.all([table.close(), connection.end()]);
    await rm(dataDirectory, { recursive: true, force: true });
  });
  afterAll(() => server.stop());

  const wait = (options: { version?: string; standby?: boolean } = {}) =>
    takeLease({
      ...{ table, dataDirectory, version: '1.5.0', standby: true, ...options },
      onWait: async (holder) => void events.push(`waits for ${holder}`),
      onTaken: () => events.push('taken'),
    }).then(async ({ token, lock }) => {
      await lock?.release();
      return token;
    });
  /** Of the lease: this long after now (seconds) by the database's clock. */
  const expiresAfter = (seconds: number) =>
    connection.query(
      "UPDATE manager_lease SET expires_at = UTC_TIMESTAMP(3) + INTERVAL ? SECOND WHERE name = 'manager'",
      [seconds],
    );
  /** Lets the standby look at it twice, at least: it announces itself each time. */
  async function looks(secondsAfterExpiry: number): Promise<void> {
    const seen = new Set<string>();
    await until(
      async () => {
        await expiresAfter(-secondsAfterExpiry);
        const sql = "SELECT expires_at FROM manager_lease WHERE name = 'standby'";
        const [[row]] = await connection.query<RowDataPacket[]>(sql);
        return row ? seen.add(String(row.expires_at.getTime())).size : 0;
      },
      (size) => size > 2,
    );
  }

  test('waits 20 s longer than until it expires', async () => {
    const taking = wait();
    await looks(1);
    await looks(15);
    expect(events).toEqual(['waits for other']);
    await expiresAfter(-20.5);
    expect(await taking).toBe(2);
    expect(events).toEqual(['waits for other', 'taken']);
  });

  test('takes it at once when the other one gives it back, whenever it expires', async () => {
    const taking = wait();
    taking.catch(() => undefined);
    await until(
      async () => events,
      ({ length }) => length > 0,
    );
    await connection.query("UPDATE manager_lease SET holder = '' WHERE name = 'manager'");
    await expiresAfter(3_600);
    await until(
      async () => events,
      (all) => all.includes('taken'),
    );
    expect(await taking).toBe(2);
  });

  test('without STANDBY takes it when it has expired, and is refused while it is renewed', async () => {
    await expiresAfter(-0.5);
    expect(await wait({ standby: false })).toBe(2);
    await connection.query("UPDATE manager_lease SET boot_id = 'of the other machine'");
    const renewing = setInterval(() => void expiresAfter(15).catch(() => undefined), 200);
    await expect(wait({ standby: false })).rejects.toThrow(/^DATABASE_URL must not be in use by another manager/);
    clearInterval(renewing);
  });

  test('of an older version is refused, also when there is no holder', async () => {
    const text = 'must not use this database: version 1.5.0';
    await expect(wait({ version: '1.4.9' })).rejects.toThrow(`Version 1.4.9 ${text} on other has used it.`);
    await connection.query("UPDATE manager_lease SET holder = '' WHERE name = 'manager'");
    await expect(wait({ version: '1.4.9' })).rejects.toThrow(
      `Version 1.4.9 ${text} has used it. Start that version or a newer one.`,
    );
    expect(await wait({ version: '1.6.0' })).toBe(2);
  });
});
