import { setTimeout as sleep } from 'node:timers/promises';

interface PollOptions {
  timeoutMs: number;
  /** 250 unless given; several: one after the other, without end. */
  intervalMs?: number | Iterable<number>;
  signal?: AbortSignal | undefined;
}

/**
 * Calls `probe` until it answers something other than `undefined`, and returns that; `undefined` after the timeout. Without a
 * timeout only the signal ends it. @throws what the probe throws; an AbortError or the signal's reason when it is aborted
 */
export function poll<T>(
  probe: () => Promise<T | undefined>,
  options: Omit<PollOptions, 'timeoutMs'> & { intervalMs: number; signal: AbortSignal },
): Promise<T>;
export function poll<T>(probe: () => Promise<T | undefined>, options: PollOptions): Promise<T | undefined>;
export async function poll<T>(
  probe: () => Promise<T | undefined>,
  {
    timeoutMs = Number.POSITIVE_INFINITY,
    intervalMs = 250,
    signal,
  }: Omit<PollOptions, 'timeoutMs'> & {
    timeoutMs?: number | undefined;
  },
): Promise<T | undefined> {
  const deadline = performance.now() + timeoutMs;
  const intervals = typeof intervalMs === 'number' ? undefined : intervalMs[Symbol.iterator]();
  for (;;) {
    signal?.throwIfAborted();
    const answer = await probe();
    if (answer !== undefined) return answer;
    const left = deadline - performance.now();
    if (left <= 0) return undefined;
    const interval: number = intervals ? intervals.next().value : intervalMs;
    await sleep(Math.min(interval, left), undefined, { signal });
  }
}

/** Yields at once and again after each interval, until the signal is aborted. Does not keep the process running. */
export async function* every(intervalMs: number, signal: AbortSignal): AsyncGenerator<void> {
  while (!signal.aborted) {
    yield;
    await sleep(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
