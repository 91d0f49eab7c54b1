import { beforeAll, describe, expect, test } from '@jest/globals';
import { layoutsOf } from '../../../fixtures/list-layouts/layouts.ts';
import { type Judged, judge, shareRight } from '../../../harness/accuracy/mapping-accuracy.ts';

describe.each(['public', 'hand-made', 'held-out'] as const)('mappings by rules, over the %s layouts', (set) => {
  let judged: Judged[];
  beforeAll(async () => {
    judged = await judge(layoutsOf(set));
  });

  test('maps at least 95 % of the columns correctly', () => {
    expect(judged.length).toBeGreaterThan(500);
    expect(shareRight(judged).share).toBeGreaterThanOrEqual(0.95);
  });

  test('of mappings with a confidence of 0.9 or above, at least 97 % are correct', () => {
    const { share, columns } = shareRight(judged, 0.9);
    expect(columns).toBeGreaterThan(judged.length / 2);
    expect(share).toBeGreaterThanOrEqual(0.97);
  });

  test('uses each field once, unless columns are joined', () => {
    const used = new Map<string, Judged[]>();
    for (const one of judged.filter(({ suggested }) => suggested.target !== 'skip')) {
      const key = `${one.layout} ${one.suggested.target}`;
      used.set(key, [...(used.get(key) ?? []), one]);
    }
    const twice = [...used].filter(
      ([, columns]) => columns.length > 1 && columns.some(({ suggested }) => suggested.transform !== 'join'),
    );
    expect(twice.map(([key]) => key)).toEqual([]);
  });
});
