import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import type { Logger } from '../logger.ts';

const firstDelayMs = 250;
const maxDelayMs = 10_000;

/**
 * Does work at the store, again and again until it succeeds: nothing may go on that is not in the journal, and while an
 * operation has not come to its end nothing else may begin on its subject, so a store that is away is waited for.
 * @throws what the work threw last, when the manager stops
 */
export async function retryUntilStopped<T>(
  work: () => Promise<T>,
  options: { operation: string; logger: Logger; stopping: AbortSignal },
): Promise<T> {
  const { operation, logger, stopping } = options;
  for (let pauseMs = firstDelayMs; ; pauseMs = Math.min(pauseMs * 2, maxDelayMs)) {
    try {
      return await work();
    } catch (error) {
      if (stopping.aborted) throw error;
      logger.warn({ operation, message: messageOf(error) }, 'the store was not written, trying again');
      await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
      if (stopping.aborted) throw error;
    }
  }
}
