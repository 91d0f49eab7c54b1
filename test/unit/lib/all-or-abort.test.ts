import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { allOrAbort } from '../../../src/lib/concurrency/all-or-abort.ts';

const never = new AbortController().signal;

test('runs parts concurrently, and ends with the last one', async () => {
  const said: string[] = [];
  const first = Promise.withResolvers<void>();
  await allOrAbort(never, () => [
    first.promise.then(() => said.push('first')),
    (async () => {
      said.push('second');
      first.resolve();
    })(),
  ]);
  expect(said).toEqual(['second', 'first']);
});

test('a failure aborts the others, and is reported after they have ended', async () => {
  const said: string[] = [];
  const work = allOrAbort(never, (signal) => [
    Promise.reject(new Error('one fails')),
    sleep(60_000, undefined, { signal }).catch(async () => {
      await sleep(10);
      said.push('the other has ended');
      throw new Error('because the one failed');
    }),
  ]);
  await expect(work).rejects.toThrow('one fails');
  expect(said).toEqual(['the other has ended']);
});

test('an external abort reaches the parts', async () => {
  const aborting = new AbortController();
  const work = allOrAbort(aborting.signal, (signal) => [sleep(60_000, undefined, { signal })]);
  aborting.abort();
  await expect(work).rejects.toMatchObject({ name: 'AbortError' });
});
