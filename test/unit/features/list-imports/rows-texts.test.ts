import { expect, test } from '@jest/globals';
import { district } from '../../../../src/features/list-imports/rows/values/district.ts';
import { memoize } from '../../../../src/features/list-imports/rows/values/memoize.ts';

test('caches the first results; later ones and long texts are computed again', () => {
  const asked: string[] = [];
  const capitals = memoize(2, (text) => {
    asked.push(text);
    return text.toUpperCase();
  });
  const long = 'x'.repeat(61);
  const texts = ['a', '', 'b', long];
  for (const text of [...texts, ...texts]) expect(capitals(text)).toBe(text.toUpperCase());
  expect(asked).toEqual(['a', '', 'b', long, 'b', long]);
});

test('a district without a state is unique to its row', () => {
  expect(['IL', 'WI', 'IL'].map((state) => district('CD 3', state))).toEqual(['IL-03', 'WI-03', 'IL-03']);
  expect(district('CD 3', '')).toMatchObject({ code: 'invalid_district', unclear: 'CD 3' });
});
