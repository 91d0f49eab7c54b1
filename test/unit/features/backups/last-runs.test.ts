import { expect, test } from '@jest/globals';
import { lastRunsOf } from '../../../../src/features/backups/schedule/schedules.ts';
import { createScheduleStore } from '../../../../src/features/backups/store.ts';
import { newId } from '../../../../src/lib/ids.ts';
import { addTenant } from '../../../harness/data/tenant-row.ts';
import { eachStore } from '../../../harness/servers/mariadb.ts';

eachStore('runs of backup schedules', (store) => {
  test('the last run that must have ended, by the tenant’s schedule or the default', async () => {
    const schedules = createScheduleStore(store());
    const add = async (cron: string | null, countedFrom: string): Promise<string> => {
      const tenantId = newId();
      await addTenant(store(), tenantId);
      await schedules.save({
        tenantId,
        cron,
        keep: null,
        countedFrom: new Date(countedFrom),
        retryAt: null,
        retries: 0,
      });
      return tenantId;
    };
    const ran = await add(null, '2026-11-20T03:02:00Z');
    const missed = await add(null, '2026-11-19T03:02:00Z');
    const weekly = await add('0 4 * * MON', '2026-11-16T04:01:00Z');
    const none = await add('', '2026-11-01T00:00:00Z');
    const unknown = newId();
    const runs = (now: string, defaultCron = '0 3 * * *') =>
      lastRunsOf([ran, missed, weekly, none, unknown], { schedules, defaultCron, now: new Date(now) });

    const at = new Date('2026-11-20T03:00:00Z');
    const monday = { at: new Date('2026-11-16T04:00:00Z'), attempted: true };
    expect(await runs('2026-11-20T09:00:00Z')).toEqual(
      new Map([
        [ran, { at, attempted: true }],
        [missed, { at, attempted: false }],
        [weekly, monday],
      ]),
    );
    // A run that began two hours ago may still be retried.
    expect((await runs('2026-11-20T05:00:00Z')).get(missed)).toEqual({
      at: new Date('2026-11-19T03:00:00Z'),
      attempted: true,
    });
    expect(await runs('2026-11-20T09:00:00Z', '')).toEqual(new Map([[weekly, monday]]));
  });
});
