import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { mapConcurrently } from '../../../src/lib/concurrency/map-concurrently.ts';
import { every, poll } from '../../../src/lib/concurrency/poll.ts';
import { backoff, retry } from '../../../src/lib/concurrency/retry.ts';
import { withTimeout } from '../../../src/lib/concurrency/timeout.ts';

/** Fails the first `failures` times with numbered errors. */
function failing(failures: number): () => Promise<string> {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls <= failures) throw new Error(`failure ${calls}`);
    return `done at attempt ${calls}`;
  };
}
const always = { isTransient: () => true };

describe('retry', () => {
  test('repeats work until it succeeds, and reports each failure with the next attempt', async () => {
    const reported: unknown[] = [];
    const onFailure = (error: unknown, next: unknown): void => void reported.push(String(error), next);
    expect(await retry(failing(2), { delaysMs: [1, 2], ...always, onFailure })).toBe('done at attempt 3');
    expect(reported).toEqual([
      'Error: failure 1',
      { attempt: 2, delayMs: 1 },
      'Error: failure 2',
      { attempt: 3, delayMs: 2 },
    ]);
  });

  test('throws the last failure when there is no delay left', async () => {
    await expect(retry(failing(9), { delaysMs: [0, 0], ...always })).rejects.toThrow('failure 3');
  });

  test('does not repeat other failures', async () => {
    await expect(retry(failing(9), { delaysMs: [0], isTransient: async () => false })).rejects.toThrow('failure 1');
  });

  test('ends with the last failure when it is aborted during a delay', async () => {
    const abort = new AbortController();
    const onFailure = (): void => void setImmediate(() => abort.abort());
    const options = { delaysMs: backoff(60_000, 60_000), signal: abort.signal, ...always, onFailure };
    await expect(retry(failing(9), options)).rejects.toThrow('failure 1');
  });

  test('delays double up to the longest, for a limited time', () => {
    const delays = backoff(10, 50)[Symbol.iterator]();
    expect(Array.from({ length: 5 }, () => delays.next().value)).toEqual([10, 20, 40, 50, 50]);
    expect([...backoff(10, 50, 0)]).toEqual([]);
  });
});

describe('a timeout', () => {
  const never = new Promise<never>(() => undefined);

  test('passes on the result or the failure', async () => {
    expect(await withTimeout(async () => 'result', { timeoutMs: 60_000 })).toBe('result');
    await expect(withTimeout(failing(1), { timeoutMs: 60_000 })).rejects.toThrow('failure 1');
  });

  test('ends the wait for work that takes too long', async () => {
    await expect(withTimeout(() => never, { timeoutMs: 5 })).rejects.toThrow('no answer within 5 ms');
    const timeoutError = (): Error => new Error('still busy');
    await expect(withTimeout(() => never, { timeoutMs: 5, timeoutError })).rejects.toThrow('still busy');
  });

  test('ends the wait when the signal is aborted', async () => {
    const reason = new Error('cancelled');
    await expect(withTimeout(() => never, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const abort = new AbortController();
    const waiting = withTimeout(() => never, { signal: abort.signal });
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });
});

describe('work on many items', () => {
  test('runs as many at a time as allowed, and reads items when there is room', async () => {
    let [running, most, read] = [0, 0, 0];
    const ahead: number[] = [];
    const done: number[] = [];
    async function* items(): AsyncGenerator<number> {
      for (; read < 10; read += 1) yield read;
    }
    await mapConcurrently(items(), 3, async (item) => {
      running += 1;
      most = Math.max(most, running);
      ahead.push(read - done.length);
      await sleep(1);
      running -= 1;
      done.push(item);
    });
    expect(done.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(most).toBe(3);
    expect(Math.max(...ahead)).toBeLessThanOrEqual(3);
  });

  test('starts nothing after a failure, and fails when the rest has ended', async () => {
    const started: number[] = [];
    let ended = false;
    const work = mapConcurrently([1, 2, 3, 4], 2, async (item) => {
      started.push(item);
      if (item === 1) throw new Error('failure of 1');
      await sleep(5);
      ended = true;
    });
    await expect(work).rejects.toThrow('failure of 1');
    expect(started).toEqual([1, 2]);
    expect(ended).toBe(true);
  });
});

describe('polling', () => {
  test('asks until there is an answer, with growing delays', async () => {
    let asked = 0;
    const probe = async (): Promise<number | undefined> => {
      asked += 1;
      return asked === 4 ? asked : undefined;
    };
    expect(await poll(probe, { timeoutMs: 60_000, intervalMs: backoff(1, 2) })).toBe(4);
  });

  test('ends without an answer at the timeout, and with an error when it is aborted', async () => {
    expect(await poll(async () => undefined, { timeoutMs: 5, intervalMs: 1 })).toBeUndefined();
    const signal = AbortSignal.timeout(5);
    await expect(poll(async () => undefined, { intervalMs: 60_000, signal })).rejects.toThrow();
  });
});

test('every yields at once and after each interval, until it is aborted', async () => {
  const stop = new AbortController();
  let count = 0;
  for await (const _ of every(1, stop.signal)) {
    count += 1;
    if (count === 3) stop.abort();
  }
  expect(count).toBe(3);
  for await (const _ of every(1, stop.signal)) count += 1;
  expect(count).toBe(3);
});
