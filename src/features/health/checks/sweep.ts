import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';

interface SweepOptions<Item extends { id: string }> {
  /** What holds for a whole sweep. */
  begin(): Promise<{
    concurrency: number;
    /** Looks at one; answers whether it was slow to answer. Its failure ends nothing. */
    check(item: Item, signal: AbortSignal): Promise<{ slow: boolean }>;
  }>;
  /** Those to look at, read as they are taken. */
  items(): AsyncGenerator<Item>;
  /** Reads one again that had to wait; undefined where it is gone. */
  recheck(id: string): Promise<Item | undefined>;
  /** How long a sweep waits for tenants that are known to be slow; they are looked at further in the background. */
  timeoutMs: number;
  onError(id: string, error: unknown): void;
}

interface Sweep {
  /** Looks at all; a sweep that is under way is joined, not doubled. Resolves with how many were begun. */
  run(): Promise<number>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/** How many are looked at side by side: those that answered in time, and those that were slow last time. */
export function splitConcurrency(concurrency: number): { quick: number; slow: number } {
  const slow = Math.max(1, Math.floor(concurrency / 4));
  return { quick: Math.max(1, concurrency - slow), slow };
}

/**
 * Looks at all tenants, a bounded number at a time. Those that were slow to answer last time are looked at in a lane of
 * their own, a quarter of the width: however many hang, the others are looked at in time, and the next sweep is not held up.
 */
export function createSweep<Item extends { id: string }>(options: SweepOptions<Item>): Sweep {
  const slowLane = new PQueue({ concurrency: 1 });
  const pending = new Set<string>();
  const abort = new AbortController();
  const slow = new Set<string>();
  let current: Promise<number> | undefined;

  async function sweep(): Promise<number> {
    const patientUntil = performance.now() + options.timeoutMs;
    const { concurrency, check } = await options.begin();
    const lanes = splitConcurrency(concurrency);
    slowLane.concurrency = lanes.slow;
    const present = new Set<string>();
    let begun = 0;

    /** Several take from the same items, each the next when it is done with one. */
    async function takeFrom(items: AsyncGenerator<Item>): Promise<void> {
      for await (const item of items) {
        if (abort.signal.aborted) return;
        present.add(item.id);
        if (pending.has(item.id)) continue;
        pending.add(item.id);
        begun += 1;
        if (slow.has(item.id)) void slowLane.add(() => lookAgain(item.id));
        else await lookAt(item.id, async () => item);
      }
    }
    const lookAgain = (id: string): Promise<void> => lookAt(id, () => options.recheck(id));

    async function lookAt(id: string, read: () => Promise<Item | undefined>): Promise<void> {
      try {
        const item = await read();
        const isSlow = item !== undefined && (await check(item, abort.signal)).slow;
        if (isSlow) slow.add(id);
        else slow.delete(id);
      } catch (error) {
        if (!abort.signal.aborted) options.onError(id, error);
      } finally {
        pending.delete(id);
      }
    }

    const items = options.items();
    const lines = await Promise.allSettled(Array.from({ length: lanes.quick }, () => takeFrom(items)));
    for (const line of lines) if (line.status === 'rejected') throw line.reason;
    // Tenants that are gone are forgotten.
    if (!abort.signal.aborted) for (const id of slow) if (!present.has(id)) slow.delete(id);
    const patience = new AbortController();
    await Promise.race([
      slowLane.onIdle(),
      sleep(patientUntil - performance.now(), undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
    patience.abort();
    return begun;
  }

  return {
    run() {
      current ??= sweep().finally(() => {
        current = undefined;
      });
      return current;
    },
    async close() {
      abort.abort(new Error('The manager is stopping'));
      slowLane.clear();
      await Promise.all([slowLane.onIdle(), current?.catch(() => undefined)]);
    },
  };
}
