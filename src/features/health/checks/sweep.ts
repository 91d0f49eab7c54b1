import PQueue from 'p-queue';
import { mapConcurrently } from '../../../lib/concurrency/map-concurrently.ts';
import { withTimeout } from '../../../lib/concurrency/timeout.ts';

interface SweepOptions<Item extends { id: string }> {
  /** The parameters of one sweep. */
  begin(): Promise<{
    concurrency: number;
    /** Checks one item. @returns whether it was slow. Its failure does not end the sweep. */
    check(item: Item, signal: AbortSignal): Promise<{ slow: boolean }>;
  }>;
  /** The items to check, read lazily. */
  items(): AsyncGenerator<Item>;
  /** Reads an item again after it has waited; undefined if it no longer exists. */
  reload(id: string): Promise<Item | undefined>;
  /** How long a sweep waits for slow items; after that, their checks continue in the background. */
  timeoutMs: number;
  onError(id: string, error: unknown): void;
}

interface Sweep {
  /** Checks all items, or joins the running sweep. @returns the number of started checks */
  run(): Promise<number>;
  /** Ends the running checks. */
  close(): Promise<void>;
}

/** Splits the concurrency between items that answered in time and items that were slow last time. */
export function splitConcurrency(concurrency: number): { quick: number; slow: number } {
  const slow = Math.max(1, Math.floor(concurrency / 4));
  return { quick: Math.max(1, concurrency - slow), slow };
}

/**
 * Checks all items with bounded concurrency. Items that were slow last time share a separate queue with a quarter of the
 * concurrency: however many hang, they delay neither the others nor the next sweep.
 */
export function createSweep<Item extends { id: string }>(options: SweepOptions<Item>): Sweep {
  const slowQueue = new PQueue({ concurrency: 1 });
  const pending = new Set<string>();
  const abort = new AbortController();
  const slow = new Set<string>();
  let current: Promise<number> | undefined;

  async function sweep(): Promise<number> {
    const deadline = performance.now() + options.timeoutMs;
    const { concurrency, check } = await options.begin();
    const limits = splitConcurrency(concurrency);
    slowQueue.concurrency = limits.slow;
    const present = new Set<string>();
    let started = 0;

    async function* items(): AsyncGenerator<Item> {
      for await (const item of options.items()) {
        if (abort.signal.aborted) return;
        yield item;
      }
    }

    async function begin(item: Item): Promise<void> {
      present.add(item.id);
      if (pending.has(item.id)) return;
      pending.add(item.id);
      started += 1;
      if (slow.has(item.id)) void slowQueue.add(() => recheckItem(item.id));
      else await checkItem(item.id, async () => item);
    }
    const recheckItem = (id: string): Promise<void> => checkItem(id, () => options.reload(id));

    async function checkItem(id: string, read: () => Promise<Item | undefined>): Promise<void> {
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

    await mapConcurrently(items(), limits.quick, begin);
    // Forget items that no longer exist.
    if (!abort.signal.aborted) for (const id of slow) if (!present.has(id)) slow.delete(id);
    const timeoutMs = deadline - performance.now();
    await withTimeout(() => slowQueue.onIdle(), { timeoutMs }).catch(() => undefined);
    return started;
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
      slowQueue.clear();
      await Promise.all([slowQueue.onIdle(), current?.catch(() => undefined)]);
    },
  };
}
