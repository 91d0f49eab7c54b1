declare global {
  var workerEnds: Set<() => Promise<void>> | undefined;
}

/** jest-worker's message that no suite follows (`CHILD_MESSAGE_END`). */
const endMessage = 2;

/** Closes what the suites of this process share once the last one has ended; until then it keeps the process running. */
export function atWorkerEnd(close: () => Promise<void>): void {
  if (!globalThis.workerEnds) {
    globalThis.workerEnds = new Set();
    process.on('message', (message) => {
      if (Array.isArray(message) && message[0] === endMessage) void endWorker();
    });
  }
  globalThis.workerEnds.add(close);
}

/** Also called by `global-teardown.mjs`, for suites that ran in Jest's own process. */
export async function endWorker(): Promise<void> {
  const ends = [...(globalThis.workerEnds ?? [])];
  globalThis.workerEnds?.clear();
  await Promise.all(ends.map((close) => close()));
}
