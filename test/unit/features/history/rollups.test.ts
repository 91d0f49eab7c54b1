import { describe, expect, test } from '@jest/globals';
import { packBlock, unpackBlock } from '../../../../src/features/history/rollups/block.ts';
import { type Bucket, bucketOf, rollUp, totalOf } from '../../../../src/features/history/rollups/bucket.ts';
import { foldHour } from '../../../../src/features/history/rollups/fold.ts';
import { levelFor } from '../../../../src/features/history/rollups/levels.ts';
import { OpenSamples } from '../../../../src/features/history/rollups/open-samples.ts';

const none = Number.NaN;
const hour = 3_600;
const day = 24 * hour;
/** The start of a day in UTC, 2026-03-29: the clocks change in Europe. */
const midnight = Date.UTC(2026, 2, 29) / 1_000;
const sample = (at: number, ...values: number[]): Bucket => bucketOf({ at, values });

describe('rolling up', () => {
  test('adds up count, sum and maximum exactly', () => {
    const buckets = [sample(0, 1), sample(10, 5), sample(59, 3), sample(60, 100)];
    expect(rollUp(buckets, 60)).toEqual([
      { at: 0, stats: [{ count: 3, sum: 9, max: 5 }] },
      { at: 60, stats: [{ count: 1, sum: 100, max: 100 }] },
    ]);
  });

  test('weighs by measurements, not by periods, over all levels', () => {
    const busy = Array.from({ length: 9 }, (_, index) => sample(index * 10, 1));
    const quiet = [sample(hour, 11)];
    const [whole] = rollUp(rollUp(rollUp([...busy, ...quiet], 60), hour), day);
    expect(whole).toEqual({ at: 0, stats: [{ count: 10, sum: 20, max: 11 }] });
  });

  test('leaves gaps empty, and a metric that was not measured', () => {
    const buckets = rollUp([sample(5, 1, none), sample(185, none, 2)], 60);
    expect(buckets).toEqual([
      { at: 0, stats: [{ count: 1, sum: 1, max: 1 }, undefined] },
      { at: 180, stats: [undefined, { count: 1, sum: 2, max: 2 }] },
    ]);
    expect(totalOf(buckets, 1)).toEqual({ count: 1, sum: 2, max: 2 });
    expect(totalOf(buckets, 7)).toBeUndefined();
  });

  test('sorts what arrives out of order, and knows negative values', () => {
    expect(rollUp([sample(70, -1), sample(10, -5), sample(20, -3)], 60)).toEqual([
      { at: 0, stats: [{ count: 2, sum: -8, max: -3 }] },
      { at: 60, stats: [{ count: 1, sum: -1, max: -1 }] },
    ]);
  });

  test('has 24 hours in a day in which clocks change', () => {
    const hours = Array.from({ length: 24 }, (_, index) => sample(midnight + index * hour, index));
    expect(rollUp(hours, day)).toEqual([{ at: midnight, stats: [{ count: 24, sum: 276, max: 23 }] }]);
  });
});

describe('a block', () => {
  test('gives back its buckets', () => {
    const place = { start: 7_200, step: 60 };
    const buckets = [
      { at: 7_200, stats: [{ count: 3, sum: 9.5, max: 5 }, undefined] },
      { at: 10_740, stats: [undefined, { count: 1, sum: -2, max: -2 }] },
    ];
    expect(unpackBlock(packBlock(buckets, place), place)).toEqual(buckets);
    expect(unpackBlock(packBlock([], place), place)).toEqual([]);
  });

  test('can be read when metrics were added since', () => {
    const place = { start: 0, step: 60 };
    const before = unpackBlock(packBlock([sample(0, 1)], place), place);
    expect(rollUp([...before, sample(60, 2, 3)], hour)[0]?.stats).toEqual([
      { count: 2, sum: 3, max: 2 },
      { count: 1, sum: 3, max: 3 },
    ]);
  });
});

describe('folding an hour', () => {
  const measured = [sample(midnight + hour, 1), sample(midnight + hour + 61, 3)];
  const at = { subject: 'a', hour: midnight + hour, now: midnight + 2 * hour + 60 };

  test('makes a block of each level', () => {
    const rows = foldHour({ ...at, measured }, () => undefined);
    expect(rows.map(({ step, start }) => [step, start])).toEqual([
      [10, midnight + hour],
      [60, midnight + hour],
      [hour, midnight],
      [day, Math.floor(midnight / (32 * day)) * 32 * day],
    ]);
    const [ofDays] = rows.slice(-1).map(({ data, start }) => unpackBlock(data, { start, step: day }));
    expect(ofDays).toEqual([{ at: midnight, stats: [{ count: 2, sum: 4, max: 3 }] }]);
  });

  test('twice is the same as once', () => {
    const once = foldHour({ ...at, measured }, () => undefined);
    const read = (step: number, start: number) => once.find((row) => row.step === step && row.start === start)?.data;
    expect(foldHour({ ...at, measured }, read)).toEqual(once);
  });

  test('adds to the hours of the same day', () => {
    const first = foldHour({ ...at, hour: midnight, measured: [sample(midnight, 10)] }, () => undefined);
    const read = (step: number, start: number) => first.find((row) => row.step === step && row.start === start)?.data;
    const [ofDays] = foldHour({ ...at, measured }, read).slice(-1);
    expect(ofDays && unpackBlock(ofDays.data, { start: ofDays.start, step: day })).toEqual([
      { at: midnight, stats: [{ count: 3, sum: 14, max: 10 }] },
    ]);
  });

  test('leaves out what would be removed at once', () => {
    const rows = foldHour({ ...at, now: midnight + 2 * day, measured }, () => undefined);
    expect(rows.map(({ step }) => step)).toEqual([hour, day]);
  });
});

test('open samples grow, are read by time and removed', () => {
  const samples = new OpenSamples(2);
  for (let at = 0; at < 300; at += 1) samples.add({ at, values: [at, none] });
  const read = (from: number, until: number) => [...samples.read({ from, until })].map(bucketOf);
  expect(read(0, 300)).toHaveLength(300);
  expect(read(298, 299)).toEqual([sample(298, 298, none)]);
  expect(samples.removeBefore(299)).toBe(true);
  expect(read(0, 300)).toEqual([sample(299, 299, none)]);
  expect(samples.removeBefore(300)).toBe(false);
});

test('a question is answered from the coarsest level that suits it', () => {
  expect(levelFor(10, hour)?.step).toBe(10);
  expect(levelFor(300, day)?.step).toBe(60);
  expect(levelFor(hour, day)?.step).toBe(hour);
  expect(levelFor(day, 365 * day)?.step).toBe(day);
  expect(levelFor(10, day)).toBeUndefined();
  expect(levelFor(hour, 365 * day)).toBeUndefined();
});
