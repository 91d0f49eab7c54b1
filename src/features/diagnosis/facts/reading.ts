import { withTimeout } from '../../../lib/concurrency/timeout.ts';
import { messageOf } from '../../../lib/errors.ts';

/** A fact with its source and time; one that could not be read has the reason instead. */
export type Reading<T> = { source: string; at: Date } & ({ known: true; value: T } | { known: false; reason: string });

/** Longer than a check of a page, so that each fact has its own answer. In ms. */
const readTimeoutMs = 8_000;

/** Reads a fact; never throws. */
export async function read<T>(source: string, work: () => Promise<T>, timeoutMs = readTimeoutMs): Promise<Reading<T>> {
  try {
    const value = await withTimeout(work, { timeoutMs });
    return { source, at: new Date(), known: true, value };
  } catch (error) {
    return { source, at: new Date(), known: false, reason: messageOf(error) };
  }
}

/** What follows from a fact; unknown like it. */
export const mapped = <T, U>(reading: Reading<T>, change: (value: T) => U): Reading<U> =>
  reading.known ? { ...reading, value: change(reading.value) } : reading;

/** undefined: unknown. */
export const valueIn = <T>(reading: Reading<T>): T | undefined => (reading.known ? reading.value : undefined);
