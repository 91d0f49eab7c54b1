import type { Work } from './work.ts';

interface Shared {
  done: Promise<void>;
  lines: string[];
  participants: Set<Work>;
  controller: AbortController;
}

/** Lines kept for later callers: bounded, so that a long output does not fill the memory. */
const keptLines = 5_000;

/** Runs long work once per key, for all simultaneous callers. */
export function createSharedWork() {
  const underWay = new Map<string, Shared>();

  function begin(key: string, task: (work: Work) => Promise<void>): Shared {
    const controller = new AbortController();
    const shared: Shared = { done: Promise.resolve(), lines: [], participants: new Set(), controller };
    const log = (line: string): void => {
      shared.lines.push(line);
      if (shared.lines.length > 2 * keptLines) shared.lines.splice(0, keptLines);
      for (const participant of shared.participants) participant.log(line);
    };
    shared.done = task({ log, signal: controller.signal }).finally(() => underWay.delete(key));
    shared.done.catch(() => undefined);
    underWay.set(key, shared);
    return shared;
  }

  async function takePart(shared: Shared, work: Work): Promise<void> {
    for (const line of shared.lines.slice(-keptLines)) work.log(line);
    shared.participants.add(work);
    const left = Promise.withResolvers<void>();
    const leave = (): void => {
      shared.participants.delete(work);
      if (shared.participants.size > 0) left.resolve();
      else shared.controller.abort(work.signal.reason);
    };
    work.signal.addEventListener('abort', leave, { once: true });
    try {
      await Promise.race([shared.done, left.promise]);
    } finally {
      work.signal.removeEventListener('abort', leave);
      shared.participants.delete(work);
    }
    work.signal.throwIfAborted();
  }

  return {
    /**
     * Runs the work, or joins running work: all callers get all lines, late ones the last lines from before, too. An abort
     * leaves; the work itself ends when the last caller has left, which waits for that.
     * @throws what the work throws; the signal's reason when aborted
     */
    async run(key: string, work: Work, task: (work: Work) => Promise<void>) {
      work.signal.throwIfAborted();
      let shared = underWay.get(key);
      // Work that is being cancelled can't be joined: wait for its end and start again.
      while (shared?.controller.signal.aborted) {
        await shared.done.catch(() => undefined);
        work.signal.throwIfAborted();
        shared = underWay.get(key);
      }
      await takePart(shared ?? begin(key, task), work);
    },
  };
}

export type SharedWork = ReturnType<typeof createSharedWork>;
