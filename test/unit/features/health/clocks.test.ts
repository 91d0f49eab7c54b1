import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Store } from '../../../../src/adapters/store/store.ts';
import { openManagerStore } from '../../../../src/app/lifecycle/manager-store.ts';
import { createSystemService } from '../../../../src/features/health/system/service.ts';
import { clockAheadMs, systemClock } from '../../../../src/lib/clock.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { eachDatabase } from '../../../harness/servers/mariadb.ts';

test('a clock that was read between two moments is surely ahead or behind only outside of them', () => {
  expect(clockAheadMs(1_500, 1_000, 2_000)).toBe(0);
  expect(clockAheadMs(2_300, 1_000, 2_000)).toBe(300);
  expect(clockAheadMs(400, 1_000, 2_000)).toBe(-600);
});

eachDatabase('the clocks of what the manager uses', (newDatabase) => {
  let store: Store;
  beforeAll(async () => {
    store = await openManagerStore(await newDatabase(), createLogger({ level: 'silent' }));
  });
  afterAll(() => store?.close());

  const warnings = async (engineAheadMs?: number) => {
    const service = createSystemService({
      store,
      runtime: {
        kind: 'docker',
        availability: async () => ({ available: true, version: '1', clockAheadMs: engineAheadMs }),
      },
      tenants: { counts: async () => ({ total: 0, byStatus: {}, runningByHealth: {} }) },
      operations: { counts: () => ({ queued: 0, running: 0 }) },
      imports: { counts: () => ({ queued: 0, running: 0 }) },
      clock: systemClock,
      startedAt: new Date(),
      hasStandby: async () => undefined,
    } as never);
    return (await service.overview()).warnings;
  };
  const advice = 'set both by NTP, or tokens, certificates and schedules go wrong';

  test('are a warning when they differ by more than 30 s from the manager’s', async () => {
    expect(await warnings()).toEqual([]);
    expect(await warnings(30_000)).toEqual([]);
    expect(await warnings(-30_000)).toEqual([]);
    expect(await warnings(31_000)).toEqual([
      `The clock of the container engine is 31 s ahead of the manager’s: ${advice}`,
    ]);
    expect(await warnings(-7_200_000)).toEqual([
      `The clock of the container engine is 2 h behind the manager’s: ${advice}`,
    ]);
  });

  test('are read from a database server, but SQLite has none of its own', async () => {
    if (store.sequelize.getDialect() === 'sqlite') {
      expect(await store.clockAheadMs()).toBeUndefined();
      return;
    }
    expect(Math.abs((await store.clockAheadMs()) ?? Number.NaN)).toBeLessThan(5_000);
    const ofServer = async (seconds: number) => {
      // The connections of the pool are used in turn.
      const set = `SET timestamp = UNIX_TIMESTAMP(SYSDATE(6)) + ${seconds}`;
      await Promise.all(Array.from({ length: 20 }, () => store.sequelize.query(set)));
      return warnings();
    };
    expect(await ofServer(20)).toEqual([]);
    expect(await ofServer(601)).toEqual([
      `The clock of the database server is 10 min ahead of the manager’s: ${advice}`,
    ]);
    expect(await ofServer(-90)).toEqual([`The clock of the database server is 2 min behind the manager’s: ${advice}`]);
  });
});
