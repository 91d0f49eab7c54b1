import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import type { Logger } from '../logger.ts';

interface RetryOptions {
  /** The delay before each further attempt; its end is the last attempt. */
  delaysMs: Iterable<number>;
  signal?: AbortSignal | undefined;
  isTransient(error: unknown): boolean | Promise<boolean>;
  /** Called before the delay. @param next the number of the next attempt, from 2, and the delay before it */
  onFailure?(error: unknown, next: { attempt: number; delayMs: number }): unknown;
}

/**
 * Repeats work that fails for a transient reason. (p-retry does not repeat a TypeError, and throws the signal's reason in place
 * of the failure.)
 * @throws what the last attempt threw, also when `signal` is aborted
 */
export async function retry<T>(work: () => Promise<T> | T, options: RetryOptions): Promise<T> {
  const { signal, isTransient, onFailure } = options;
  const delays = options.delaysMs[Symbol.iterator]();
  for (let attempt = 2; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted || !(await isTransient(error))) throw error;
      const { value: delayMs, done } = delays.next();
      if (done) throw error;
      await onFailure?.(error, { attempt, delayMs });
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      if (signal?.aborted) throw error;
    }
  }
}

/** The delay after a number of failures in a row: `firstMs`, then twice as long each time, up to `maxMs`. */
export const delayAfter = (failures: number, firstMs: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1));

/** Delays that double from `firstMs` up to `maxMs`; without end, or as long as the next attempt starts within `totalMs` from now. */
export function backoff(firstMs: number, maxMs: number, totalMs = Number.POSITIVE_INFINITY): Iterable<number> {
  const deadline = performance.now() + totalMs;
  function* delays(): Generator<number> {
    for (let failures = 1; ; failures += 1) {
      const delayMs = delayAfter(failures, firstMs, maxMs);
      if (performance.now() + delayMs > deadline) return;
      yield delayMs;
    }
  }
  return delays();
}

/**
 * Retries work on the store until it succeeds or the manager stops. An operation must not continue before its step is journalled,
 * and nothing else may start on its subject before its end is.
 * @throws what the work threw last, when the manager stops
 */
export function retryUntilStopped<T>(
  work: () => Promise<T>,
  { operation, logger, stopping }: { operation: string; logger: Logger; stopping: AbortSignal },
): Promise<T> {
  return retry(work, {
    delaysMs: backoff(250, 10_000),
    signal: stopping,
    isTransient: () => true,
    onFailure: (error) => logger.warn({ operation, message: messageOf(error) }, 'the store was not written, retrying'),
  });
}
