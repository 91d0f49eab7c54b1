import { expect, test } from '@jest/globals';
import { cachedFor } from '../../../src/app/lifecycle/cached-for.ts';

test('concurrent callers get the same value; an expired one is read again', async () => {
  let asked = 0;
  const ask = async (): Promise<number> => {
    asked += 1;
    return asked;
  };
  const lasting = cachedFor(ask, 60_000);
  expect(await Promise.all([lasting(), lasting(), lasting()])).toEqual([1, 1, 1]);
  const short = cachedFor(ask, -1);
  expect([await short(), await short()]).toEqual([2, 3]);
});
