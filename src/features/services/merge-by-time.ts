/** The time is ISO 8601 UTC with milliseconds; null: unknown. */
interface Timed {
  timestamp: string | null;
}

interface MergeOptions {
  /** How long an item waits for an earlier one from another source, in ms. */
  holdMs?: number;
  /** The same until every source has produced an item: sources need time to read existing items. */
  firstHoldMs?: number;
}

/** Items of one source that may be queued before reading pauses. */
const maxQueued = 2_000;

interface SourceQueue<T> {
  items: { item: T; at: number }[];
  hasProduced: boolean;
  ended: boolean;
}

/**
 * Merges the items of all sources by time until all have ended. The order within a source is preserved; an item without a time
 * stays behind the one before it. Items that arrive after the hold time are not waited for.
 */
export async function* mergeByTime<T extends Timed>(
  sources: readonly AsyncGenerator<T>[],
  { holdMs = 250, firstHoldMs = 1_500 }: MergeOptions = {},
): AsyncGenerator<T> {
  const openedAt = performance.now();
  let wake: () => void = () => undefined;
  let failure: unknown;
  const queues = sources.map((): SourceQueue<T> => ({ items: [], hasProduced: false, ended: false }));
  const capacity = sources.map(() => Promise.withResolvers<void>());

  async function read(source: AsyncGenerator<T>, index: number): Promise<void> {
    const queue = queues[index];
    if (!queue) return;
    try {
      for await (const item of source) {
        queue.hasProduced = true;
        queue.items.push({ item, at: performance.now() });
        wake();
        if (queue.items.length < maxQueued) continue;
        capacity[index] = Promise.withResolvers<void>();
        await capacity[index].promise;
      }
    } catch (error) {
      failure ??= error;
    }
    queue.ended = true;
    wake();
  }
  for (const [index, source] of sources.entries()) void read(source, index);

  try {
    while (queues.some(({ items, ended }) => items.length > 0 || !ended)) {
      if (failure !== undefined) throw failure;
      const next = earliest(queues);
      const releaseAt = next === undefined ? undefined : releaseTimeOf(queues, { openedAt, holdMs, firstHoldMs });
      const now = performance.now();
      if (next === undefined || (releaseAt !== undefined && releaseAt > now)) {
        await new Promise<void>((resolve) => {
          const timer = releaseAt === undefined ? undefined : setTimeout(resolve, releaseAt - now);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        continue;
      }
      const taken = queues[next]?.items.shift();
      capacity[next]?.resolve();
      if (taken) yield taken.item;
    }
    if (failure !== undefined) throw failure;
  } finally {
    for (const { resolve } of capacity) resolve();
    for (const source of sources) void source.return(undefined);
  }
}

/** The source whose next item is the earliest. */
function earliest<T extends Timed>(queues: readonly SourceQueue<T>[]): number | undefined {
  let found: { index: number; timestamp: string } | undefined;
  for (const [index, { items }] of queues.entries()) {
    const [first] = items;
    if (!first) continue;
    const timestamp = first.item.timestamp ?? '';
    if (!found || timestamp < found.timestamp) found = { index, timestamp };
  }
  return found?.index;
}

/** When to emit the next item although a source has no item to compare it with; undefined: now. */
function releaseTimeOf(
  queues: readonly SourceQueue<Timed>[],
  { openedAt, holdMs, firstHoldMs }: { openedAt: number; holdMs: number; firstHoldMs: number },
): number | undefined {
  const silent = queues.filter(({ items, ended }) => items.length === 0 && !ended);
  if (silent.length === 0 || queues.some(({ items }) => items.length >= maxQueued)) return undefined;
  const firstAt = Math.min(...queues.flatMap(({ items }) => (items[0] ? [items[0].at] : [])));
  return silent.every(({ hasProduced }) => hasProduced)
    ? firstAt + holdMs
    : Math.max(firstAt + holdMs, openedAt + firstHoldMs);
}
