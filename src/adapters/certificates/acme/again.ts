import { setTimeout as sleep } from 'node:timers/promises';
import { AcmeError } from './problem.ts';

/**
 * Asks again after each of the pauses while what fails may pass: a dropped connection, an overloaded authority. Every request of
 * ACME may be repeated: an order placed twice is the same order or one that expires.
 * @throws what the last attempt threw; the signal's reason when it is aborted
 */
export async function again<T>(
  ask: () => Promise<T>,
  { pausesMs, signal }: { pausesMs: readonly number[]; signal: AbortSignal },
): Promise<T> {
  for (const pause of pausesMs) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof AcmeError && error.transient)) throw error;
      await sleep(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
  return ask();
}
