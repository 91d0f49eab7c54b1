import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Looks again and again until there is something to see; only the signal ends it else.
 * @throws what a look throws; when the signal is aborted
 */
export async function until<T>(
  look: () => Promise<T | undefined>,
  { pollMs, signal }: { pollMs: number; signal: AbortSignal },
): Promise<T> {
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await sleep(pollMs, undefined, { signal });
  }
}
