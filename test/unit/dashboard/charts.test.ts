import { expect, test } from '@jest/globals';
import { chartData, extremesOf } from '../../../dashboard/src/features/history/charts/chart-data.ts';
import { downTime } from '../../../dashboard/src/features/history/down-time.ts';
import { isMonth, monthAfter } from '../../../dashboard/src/features/history/month.ts';

const answer = (at: number[], series: Record<string, (number | null)[]>) => ({
  from: '',
  to: '',
  step: 10,
  at,
  series: Object.entries(series).map(([name, values]) => ({ name, unit: 'seconds' as const, values, max: values })),
});
const line = (metric: string) => ({ metric, name: metric.toUpperCase() });

test('a chart has the lines with values, and the moments that they have', () => {
  const found = answer([0, 10, 20, 30], {
    a: [1, null, 2, null],
    b: [null, 5, null, null],
    c: [null, null, null, null],
  });
  expect(chartData(found, [line('a'), line('c'), line('d')])).toEqual({
    at: [0, 20],
    lines: [{ name: 'A', values: [1, 2] }],
  });
  expect(chartData(found, [line('a'), line('b')]).at).toEqual([0, 10, 20]);
});

test('a line breaks where measurements are missing for long', () => {
  const found = answer([0, 60, 120, 600, 660], { a: [1, 2, 3, 4, 5] });
  expect(chartData(found, [line('a')])).toEqual({
    at: [0, 60, 120, 180, 600, 660],
    lines: [{ name: 'A', values: [1, 2, 3, null, 4, 5] }],
  });
});

test('a summary names the last and the highest value', () => {
  expect(extremesOf([3, null, 1, null])).toEqual({ last: 1, highest: 3 });
  expect(extremesOf([null])).toBeUndefined();
});

test.each([
  [29, '0 min'],
  [-300, '−5 min'],
  [12_960, '3 h 36 min'],
  [48 * 3_600, '2 d 0 h'],
])('%i s without service are %s', (seconds, text) => {
  expect(downTime(seconds)).toBe(text);
});

test('months follow each other over the turn of a year', () => {
  expect([monthAfter('2026-12', 1), monthAfter('2027-01', -1)]).toEqual(['2027-01', '2026-12']);
  expect(['2026-11', '2026-13', '2026-1', ''].map(isMonth)).toEqual([true, false, false, false]);
});
