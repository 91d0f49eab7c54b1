import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import type { Logger } from '../logger.ts';

export interface RetryOptions {
  /** The delay before each further attempt; its end is the last attempt. */
  delaysMs: Iterable<number>;
  signal: AbortSignal;
  isTransient(error: unknown): boolean;
  onFailure?(error: unknown): void;
}

/**
 * Repeats work that fails for a transient reason.
 * @throws what the last attempt threw, also when `signal` is aborted
 */
export async function retry<T>(work: () => Promise<T> | T, options: RetryOptions): Promise<T> {
  const { delaysMs, signal, isTransient, onFailure } = options;
  for (const delayMs of delaysMs) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isTransient(error)) throw error;
      onFailure?.(error);
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw error;
    }
  }
  return work();
}

/** Delays without end: `firstMs`, then twice as long each time, up to `maxMs`. */
export function* backoff(firstMs: number, maxMs: number): Generator<number> {
  for (let delayMs = firstMs; ; delayMs = Math.min(delayMs * 2, maxMs)) yield delayMs;
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
