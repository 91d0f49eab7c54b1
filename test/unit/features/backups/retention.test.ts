import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { expired } from '../../../../src/features/backups/schedule/retention.ts';
import { cronProblem, dueAt } from '../../../../src/features/backups/schedule/schedule.ts';

const at = (id: string) => ({ id, createdAt: new Date(id) });

describe('retention', () => {
  test('keeps the newest, and the newest of each day, week and month', () => {
    const backups = [
      '2026-03-04T12:00:00Z',
      '2026-03-04T06:00:00Z',
      '2026-03-03T23:59:59Z',
      '2026-03-03T00:00:00Z',
      '2026-03-02T01:00:00Z',
      '2026-03-01T01:00:00Z',
      '2026-02-20T01:00:00Z',
      '2026-01-31T23:00:00Z',
      '2026-01-01T01:00:00Z',
    ].map(at);
    const kept = (keep: { last: number; daily: number; weekly: number; monthly: number }) => {
      const gone = expired(backups, keep);
      return backups.map(({ id }) => id.slice(5, 13)).filter((_, index) => !gone.includes(backups[index]?.id ?? ''));
    };
    expect(kept({ last: 2, daily: 0, weekly: 0, monthly: 0 })).toEqual(['03-04T12', '03-04T06']);
    expect(kept({ last: 1, daily: 3, weekly: 0, monthly: 0 })).toEqual(['03-04T12', '03-03T23', '03-02T01']);
    // The week starts on Monday, 2 March.
    expect(kept({ last: 1, daily: 0, weekly: 3, monthly: 0 })).toEqual(['03-04T12', '03-01T01', '02-20T01']);
    expect(kept({ last: 1, daily: 0, weekly: 0, monthly: 9 })).toEqual(['03-04T12', '02-20T01', '01-31T23']);
    expect(kept({ last: 0, daily: 0, weekly: 0, monthly: 0 })).toEqual(['03-04T12']);
  });

  test('never removes the newest, and is idempotent', () => {
    const count = fc.integer({ min: 0, max: 5 });
    const keeps = fc.record({ last: count, daily: count, weekly: count, monthly: count });
    const dates = fc.uniqueArray(fc.integer({ min: 0, max: 400 * 86_400_000 }), { maxLength: 40 });
    fc.assert(
      fc.property(dates, keeps, (times, keep) => {
        const backups = times.map((time) => ({ id: String(time), createdAt: new Date(1.7e12 + time) }));
        const gone = expired(backups, keep);
        const left = backups.filter(({ id }) => !gone.includes(id));
        expect(gone).not.toContain(String(Math.max(...times)));
        expect(expired(left, keep)).toEqual([]);
      }),
    );
  });
});

describe('schedules', () => {
  test.each(['0 3 * * *', '*/15 * * * *', '0 4 * * MON'])('accepts %s', (text) =>
    expect(cronProblem(text)).toBeUndefined(),
  );
  test.each(['', 'daily', '61 * * * *', '0 0 3 * * *', '0 0 30 2 *', '* * * *'])('rejects %j', (text) =>
    expect(cronProblem(text)).toEqual(expect.any(String)),
  );

  test('merges missed runs into one, due immediately; the offset is the same for a tenant each time', () => {
    const from = new Date('2026-01-01T10:00:00Z');
    const due = dueAt('0 3 * * *', from, 'a-tenant');
    expect(due?.toISOString()).toMatch(/^2026-01-02T03:0[0-4]/);
    expect(dueAt('0 3 * * *', from, 'a-tenant')).toEqual(due);
    expect(dueAt('0 3 * * *', from, 'another')).not.toEqual(due);
    const often = dueAt('* * * * *', from, 'a-tenant');
    expect((often?.getTime() ?? 0) - from.getTime()).toBeLessThanOrEqual(66_000);
  });
});
