import { describe, expect, test } from '@jest/globals';
import { monthBounds, monthFigures, shareOf, stripOf } from '../../../../src/features/history/availability/figures.ts';
import { availabilityReportText } from '../../../../src/features/history/availability/report-text.ts';
import { metricsOf } from '../../../../src/features/history/metrics.ts';
import type { Bucket } from '../../../../src/features/history/rollups/bucket.ts';

const day = 86_400;
const first = Date.UTC(2026, 10, 1) / 1_000;
const downAt = metricsOf.tenant.findIndex(({ name }) => name === 'tenantry_tenant_down_seconds');
/** A day of November: its checks, how many of them found the tenant down, and for how long. */
function november(date: number, checks: number, down: number, seconds = 0): Bucket {
  const stats: Bucket['stats'] = Array.from({ length: downAt + 1 });
  if (checks > 0) {
    stats[0] = { count: checks, sum: checks - down, max: 1 };
    stats[downAt] = { count: checks, sum: seconds, max: seconds };
  }
  return { at: first + (date - 1) * day, stats };
}

describe('availability', () => {
  test('is rounded down: one failed check in a million is not 100 %', () => {
    expect(shareOf([november(1, 1_000_000, 1)])).toEqual({ checks: 1_000_000, percent: 99.999 });
    expect(shareOf([november(1, 1_000_000, 0)])).toEqual({ checks: 1_000_000, percent: 100 });
  });

  test('is unknown without checks', () => {
    expect(shareOf([november(1, 0, 0)])).toEqual({ checks: 0, percent: null });
  });

  test('strip ends today and has gaps', () => {
    const now = new Date('2026-11-05T10:00:00Z');
    expect(stripOf([november(2, 4, 1), november(5, 2, 0)], { now, days: 4 })).toEqual([75, null, null, 100]);
  });
});

describe('a month', () => {
  const objective = 99.5;

  test('has the length of the calendar in UTC, leap years and December included', () => {
    const days = (month: string) => (monthBounds(month).until - monthBounds(month).from) / day;
    expect(['2026-11', '2026-12', '2027-02', '2028-02'].map(days)).toEqual([30, 31, 28, 29]);
  });

  test('spends its budget by the time without service, in its own days only', () => {
    const buckets = [november(1, 1_440, 144, 8_640), november(2, 1_440, 0), november(31, 10, 10, 600)];
    expect(monthFigures(buckets, { month: '2026-11', objective })).toEqual({
      checks: 2_880,
      percent: 95,
      budget: 12_960,
      used: 8_640,
      left: 4_320,
    });
  });

  test('can spend more than it has', () => {
    expect(monthFigures([november(3, 10, 10, 20_000)], { month: '2026-11', objective })).toMatchObject({
      used: 20_000,
      left: -7_040,
    });
  });
});

test('the text of a report names who missed the objective', () => {
  const tenant = (name: string) => ({ id: name, name, slug: name });
  const text = availabilityReportText({
    month: '2026-11',
    objective: 99.5,
    fleet: { checks: 200, percent: 99.25 },
    tenants: [
      { tenant: tenant('Bright'), checks: 100, percent: 98.5, budget: 12_960, used: 38_880, left: -25_920 },
      { tenant: tenant('Ash'), checks: 100, percent: 100, budget: 12_960, used: 0, left: 12_960 },
      { tenant: tenant('New'), checks: 0, percent: null, budget: 12_960, used: 0, left: 12_960 },
    ],
  });
  expect(text.split('\n')).toEqual([
    'Availability in 2026-11 (UTC)',
    '',
    'All tenants: 99.250 %; objective: 99.5 %.',
    '1 of 3 tenants are over their error budget.',
    '',
    'Bright  98.500 %, down 10 h 48 min, budget left -7 h 12 min',
    'Ash     100.000 %, down 0 min, budget left 3 h 36 min',
    'New     no checks',
  ]);
});
