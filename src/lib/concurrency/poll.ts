import { setTimeout as sleep } from 'node:timers/promises';

interface PollOptions {
  timeoutMs: number;
  intervalMs?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Asks `probe` until it answers something other than `undefined`; answers that, or `undefined` when the time is up.
 * Throws what the probe throws, and the signal's reason when it is aborted.
 */
export async function poll<T>(probe: () => Promise<T | undefined>, options: PollOptions): Promise<T | undefined> {
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    options.signal?.throwIfAborted();
    const answer = await probe();
    if (answer !== undefined) return answer;
    const left = deadline - performance.now();
    if (left <= 0) return undefined;
    await sleep(Math.min(options.intervalMs ?? 250, left), undefined, { signal: options.signal });
  }
}
