import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Store } from '../../../../src/adapters/store/store.ts';
import { storeFailure } from '../../../../src/adapters/store/translate-error.ts';
import { openManagerStore } from '../../../../src/app/lifecycle/manager-store.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { makeMariaDbStore } from '../../../harness/data/store-template.ts';
import { until } from '../../../harness/data/tenants.ts';
import { describeMariaDb } from '../../../harness/servers/mariadb.ts';
import { type MariaDb, startMariaDb } from '../../../harness/servers/mariadb-server.ts';

describeMariaDb('an unresponsive MariaDB server', () => {
  let server: MariaDb;
  let store: Store;
  /** At another server, which is never suspended. */
  let slow: Store;
  let slept: Promise<unknown>;
  beforeAll(async () => {
    slow = await openManagerStore(await makeMariaDbStore(), createLogger({ level: 'silent' }));
    slept = slow.sequelize.query('SELECT SLEEP(11) AS slept', { plain: true }).catch(storeFailure);
    server = await startMariaDb();
    store = await openManagerStore(await server.newDatabase(), createLogger({ level: 'silent' }));
  });
  afterAll(async () => {
    server.resume();
    await Promise.all([store.close(), slow.close()]);
    await server.stop();
  });

  const query = () => store.sequelize.query('SELECT 1');

  test('fails open, new and queued connections with database_unavailable, then recovers', async () => {
    await Promise.all([query(), query(), query()]);
    await server.suspend();
    const ends = await Promise.all([
      ...Array.from({ length: 30 }, () => query().catch(storeFailure)),
      store.transaction((transaction) => store.sequelize.query('SELECT 1', { transaction })).catch(storeFailure),
    ]);
    expect(ends).toEqual(Array(31).fill(expect.objectContaining({ code: 'database_unavailable' })));
    server.resume();
    // Earlier attempts may still fail.
    const works = () =>
      query().then(
        () => true,
        () => false,
      );
    await until(works, (answered) => answered);
    await Promise.all(Array.from({ length: 30 }, () => until(works, (answered) => answered)));
  });

  test('is noticed by a connection that was idle, and by a statement that had been slow before', async () => {
    await Promise.all([query(), query()]);
    // Longer than the silence after which a connection is examined.
    await sleep(3_500);
    const busy = store.sequelize.query('SELECT SLEEP(600)').catch(storeFailure);
    await sleep(4_500);
    await server.suspend();
    const ends = await Promise.all([busy, query().catch(storeFailure)]);
    expect(ends).toEqual(Array(2).fill(expect.objectContaining({ code: 'database_unavailable' })));
    server.resume();
  });

  test('is distinguished from a slow statement', async () => {
    expect(await slept).toEqual({ slept: 0 });
  });
});
