import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';

interface SweepOptions {
  /** The tenants to look at, by id, read as they come. */
  tenantIds(): AsyncIterable<string>;
  /** Looks at one; answers whether it was slow to answer. Its failure ends nothing. */
  check(tenantId: string, signal: AbortSignal): Promise<{ slow: boolean }>;
  concurrency(): Promise<number>;
  /** Each check begins up to so many milliseconds late, so that tenants are not asked in step. */
  jitterMs: number;
  /** How long a sweep waits for tenants that are known to be slow; they are looked at further in the background. */
  patienceMs: number;
  onError(tenantId: string, error: unknown): void;
}

export interface Sweep {
  /** Looks at all tenants; a sweep that is under way is joined, not doubled. Resolves with how many were begun. */
  run(): Promise<number>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/**
 * Looks at all tenants, a bounded number at a time. Those that were slow to answer last time are looked at in a lane of
 * their own, a quarter of the width: however many hang, the others are looked at in time, and the next sweep is not held up.
 */
export function createSweep(options: SweepOptions): Sweep {
  const lanes = { quick: new PQueue({ concurrency: 1 }), slow: new PQueue({ concurrency: 1 }) };
  const pending = new Set<string>();
  const abort = new AbortController();
  const slow = new Set<string>();
  let current: Promise<number> | undefined;

  async function sweep(): Promise<number> {
    const width = await options.concurrency();
    lanes.slow.concurrency = Math.max(1, Math.floor(width / 4));
    lanes.quick.concurrency = Math.max(1, width - lanes.slow.concurrency);
    const present = new Set<string>();
    const waiting: Promise<void>[] = [];
    for await (const id of options.tenantIds()) {
      if (abort.signal.aborted) break;
      present.add(id);
      if (pending.has(id)) continue;
      pending.add(id);
      waiting.push(afterJitter(() => void lanes[slow.has(id) ? 'slow' : 'quick'].add(() => checkOne(id))));
    }
    // Nobody holds a place in a lane while it waits for its turn to begin.
    await Promise.all(waiting);
    // Tenants that are gone are forgotten.
    for (const id of slow) if (!present.has(id)) slow.delete(id);
    const patience = new AbortController();
    await Promise.all([
      lanes.quick.onIdle(),
      Promise.race([
        lanes.slow.onIdle(),
        sleep(options.patienceMs, undefined, { signal: patience.signal }).catch(() => undefined),
      ]),
    ]);
    patience.abort();
    return waiting.length;
  }

  async function afterJitter(begin: () => void): Promise<void> {
    await sleep(Math.random() * options.jitterMs, undefined, { signal: abort.signal }).then(begin, () => undefined);
  }

  async function checkOne(id: string): Promise<void> {
    try {
      const result = await options.check(id, abort.signal);
      if (result.slow) slow.add(id);
      else slow.delete(id);
    } catch (error) {
      if (!abort.signal.aborted) options.onError(id, error);
    } finally {
      pending.delete(id);
    }
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
      for (const lane of [lanes.quick, lanes.slow]) lane.clear();
      await Promise.all([lanes.quick.onIdle(), lanes.slow.onIdle(), current?.catch(() => undefined)]);
    },
  };
}
