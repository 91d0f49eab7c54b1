import { describe, expect, test } from '@jest/globals';
import { type LogLine, Shown } from '../../../dashboard/src/components/log/replay-dedup.ts';

const linesOf = (from: string, ...texts: (string | number)[]): LogLine[] =>
  texts.map((text) => ({ from, text: String(text) }));
const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at);

/** What is shown of replayed lines after others were shown. */
function again(before: LogLine[], replayed: LogLine[]): { texts: string[]; gap: boolean } {
  const shown = new Shown();
  shown.add(before);
  const { lines, gap } = shown.newOf(replayed);
  return { texts: lines.map(({ text }) => text), gap };
}

describe('a log that is replayed', () => {
  test('continues at its position', () => {
    const replayed = again(linesOf('api', ...upTo(40)), linesOf('api', ...upTo(60)));
    expect(replayed).toEqual({ texts: upTo(60, 41).map(String), gap: false });
  });

  test('continues if it starts later than the shown lines, and if nothing is new', () => {
    expect(again(linesOf('api', ...upTo(900)), linesOf('api', ...upTo(910, 401))).texts).toEqual(
      upTo(910, 901).map(String),
    );
    expect(again(linesOf('api', ...upTo(900)), linesOf('api', ...upTo(900, 401)))).toEqual({ texts: [], gap: false });
  });

  test('reports where lines may be missing, and then drops none', () => {
    const replayed = again(linesOf('api', ...upTo(40)), linesOf('api', ...upTo(600, 101)));
    expect(replayed).toEqual({ texts: upTo(600, 101).map(String), gap: true });
  });

  test('handles two writers in any interleaving', () => {
    const before = [...linesOf('api', 1), ...linesOf('frontend', 'a'), ...linesOf('api', 2)];
    const replayed = [...linesOf('frontend', 'a', 'b'), ...linesOf('api', 1, 2, 3)];
    expect(again(before, replayed)).toEqual({ texts: ['b', '3'], gap: false });
  });

  test('a new writer is new, not a gap', () => {
    expect(again(linesOf('api', 1), [...linesOf('api', 1), ...linesOf('frontend', 'a')])).toEqual({
      texts: ['a'],
      gap: false,
    });
  });

  test('remembers the last lines after many', () => {
    const shown = new Shown();
    for (let last = 100; last <= 10_000; last += 100) shown.add(linesOf('api', ...upTo(last, last - 99)));
    expect(shown.newOf(linesOf('api', ...upTo(10_003, 9_504))).lines.map(({ text }) => text)).toEqual([
      '10001',
      '10002',
      '10003',
    ]);
  });
});
