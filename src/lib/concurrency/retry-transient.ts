import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors.ts';

const delayMs = 1_000;

interface RetryOptions {
  /** Never, unless given. */
  isTransient: ((error: unknown) => boolean) | undefined;
  signal: AbortSignal;
  log(line: string): void;
}

/**
 * Runs work again as long as it fails for a reason that passes (a database that does not answer), until `signal` is aborted.
 * @throws what the work threw last
 */
export async function retryTransient<T>(
  work: () => Promise<T> | T,
  { isTransient, signal, log }: RetryOptions,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isTransient?.(error)) throw error;
      if (tries === 1) log(`${messageOf(error)}. Trying again until it works or the step’s time is up`);
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw error;
    }
  }
}
