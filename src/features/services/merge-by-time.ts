/** What has a time: ISO 8601 UTC with milliseconds, or null where it is not known. */
interface Timed {
  timestamp: string | null;
}

interface MergeOptions {
  /** How long an item waits for an earlier one from another source, in ms. */
  holdMs?: number;
  /** The same until every source has given something, at most: each needs a moment to read what lies ready. */
  firstHoldMs?: number;
}

/** Items of one source that wait; beyond these it is not read further. */
const maxWaiting = 2_000;

interface Waiting<T> {
  items: { item: T; at: number }[];
  hasGiven: boolean;
  ended: boolean;
}

/**
 * The items of all sources in the order of their times, until all have ended. Of one source the order stays as it is; an item
 * without a time keeps its place behind the one before it. What comes later than the hold is not waited for.
 */
export async function* mergeByTime<T extends Timed>(
  sources: readonly AsyncGenerator<T>[],
  { holdMs = 250, firstHoldMs = 1_500 }: MergeOptions = {},
): AsyncGenerator<T> {
  const openedAt = performance.now();
  let wake: () => void = () => undefined;
  let failure: unknown;
  const lanes = sources.map((): Waiting<T> => ({ items: [], hasGiven: false, ended: false }));
  const room = sources.map(() => Promise.withResolvers<void>());

  async function read(source: AsyncGenerator<T>, index: number): Promise<void> {
    const lane = lanes[index];
    if (!lane) return;
    try {
      for await (const item of source) {
        lane.hasGiven = true;
        lane.items.push({ item, at: performance.now() });
        wake();
        if (lane.items.length < maxWaiting) continue;
        room[index] = Promise.withResolvers<void>();
        await room[index].promise;
      }
    } catch (error) {
      failure ??= error;
    }
    lane.ended = true;
    wake();
  }
  for (const [index, source] of sources.entries()) void read(source, index);

  try {
    while (lanes.some(({ items, ended }) => items.length > 0 || !ended)) {
      if (failure !== undefined) throw failure;
      const next = earliest(lanes);
      const dueAt = next === undefined ? undefined : dueOf(lanes, { openedAt, holdMs, firstHoldMs });
      const now = performance.now();
      if (next === undefined || (dueAt !== undefined && dueAt > now)) {
        await new Promise<void>((resolve) => {
          const timer = dueAt === undefined ? undefined : setTimeout(resolve, dueAt - now);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        continue;
      }
      const taken = lanes[next]?.items.shift();
      room[next]?.resolve();
      if (taken) yield taken.item;
    }
    if (failure !== undefined) throw failure;
  } finally {
    for (const { resolve } of room) resolve();
    for (const source of sources) void source.return(undefined);
  }
}

/** The source whose next item is the earliest. */
function earliest<T extends Timed>(lanes: readonly Waiting<T>[]): number | undefined {
  let found: { index: number; timestamp: string } | undefined;
  for (const [index, { items }] of lanes.entries()) {
    const [first] = items;
    if (!first) continue;
    const timestamp = first.item.timestamp ?? '';
    if (!found || timestamp < found.timestamp) found = { index, timestamp };
  }
  return found?.index;
}

/** From when on the next item is given, though a source has nothing to compare it with; undefined: now. */
function dueOf(
  lanes: readonly Waiting<Timed>[],
  { openedAt, holdMs, firstHoldMs }: { openedAt: number; holdMs: number; firstHoldMs: number },
): number | undefined {
  const silent = lanes.filter(({ items, ended }) => items.length === 0 && !ended);
  if (silent.length === 0 || lanes.some(({ items }) => items.length >= maxWaiting)) return undefined;
  const firstAt = Math.min(...lanes.flatMap(({ items }) => (items[0] ? [items[0].at] : [])));
  return silent.every(({ hasGiven }) => hasGiven)
    ? firstAt + holdMs
    : Math.max(firstAt + holdMs, openedAt + firstHoldMs);
}
