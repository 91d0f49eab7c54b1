import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors.ts';

const pauseMs = 1_000;

interface RetryOptions {
  /** Never, unless given. */
  isPassing: ((error: unknown) => boolean) | undefined;
  signal: AbortSignal;
  say(line: string): void;
}

/**
 * Runs work again as long as it fails for a reason that passes (a database that does not answer), until `signal` is aborted.
 * @throws what the work threw last
 */
export async function retryPassing<T>(
  work: () => Promise<T> | T,
  { isPassing, signal, say }: RetryOptions,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isPassing?.(error)) throw error;
      if (tries === 1) say(`${messageOf(error)}. Trying again until it works or the step’s time is up`);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw error;
    }
  }
}
