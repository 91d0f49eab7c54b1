import { expect, test } from '@jest/globals';
import { lossSince } from '../../../../src/features/backups/archive/create.ts';

const sizes = (rowCounts: Record<string, number> | null, sizeBytes = 10_000) => ({ rowCounts, sizeBytes });
const of = (before: Record<string, number> | null, now: Record<string, number> | null, percent = 50) =>
  lossSince(sizes(before), sizes(now), percent)?.tables ?? null;

test.each([
  ['half of the rows stay', { people: 100 }, { people: 50 }, null],
  ['more than half are gone', { people: 100 }, { people: 49 }, [{ table: 'people', before: 100, after: 49 }]],
  ['a table is gone', { people: 5_000, tags: 3 }, { tags: 3 }, [{ table: 'people', before: 5_000, after: 0 }]],
  ['a small table is empty', { people: 99 }, { people: 0 }, null],
  ['a table is new', { people: 100 }, { people: 100, events: 4 }, null],
  ['it was not counted before', null, { people: 0 }, null],
  ['it is not counted now', { people: 100 }, null, null],
] as const)('%s', (_what, before, now, found) => {
  expect(of(before, now)).toEqual(found);
});

test('the setting moves the bound, and 0 turns it off', () => {
  expect(of({ people: 1_000 }, { people: 899 }, 10)).toHaveLength(1);
  expect(of({ people: 1_000 }, { people: 0 }, 0)).toBeNull();
  expect(lossSince(undefined, sizes({ people: 0 }), 50)).toBeNull();
});

test('a much smaller backup counts, too, unless it was tiny', () => {
  const mebibyte = 1024 ** 2;
  expect(lossSince(sizes(null, 10 * mebibyte), sizes(null, mebibyte), 50)).toEqual({
    tables: [],
    bytes: { before: 10 * mebibyte, after: mebibyte },
    confirmedBy: null,
  });
  expect(lossSince(sizes(null, 20_000), sizes(null, 2_000), 50)).toBeNull();
});
