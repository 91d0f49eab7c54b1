import PQueue from 'p-queue';

/** Threads that read lists, a bounded number at a time: each takes memory of its own. */
export interface WorkerPool {
  /** @throws the signal's reason where it is aborted before its turn */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function createWorkerPool(concurrency: number): WorkerPool {
  const queue = new PQueue({ concurrency });
  return { run: (signal, work) => queue.add(work, { signal }) };
}
