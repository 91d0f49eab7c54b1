import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { actingDeadline } from '../concurrency/acting-deadline.ts';
import { type ErrorCode, errorOf, type Issue } from '../errors.ts';

/** What a thread gets. */
export interface TaskData<Input> {
  input: Input;
  /** Until when it may change files. */
  deadline: SharedArrayBuffer;
}

/** Messages from the worker to the manager. */
export type FromWorker<Message, Result> =
  | { kind: 'message'; message: Message }
  | { kind: 'result'; result: Result }
  | { kind: 'failed'; code: ErrorCode; message: string; issues: Issue[] | undefined };

/** A worker thread failed without an answer: a fault of the manager or its machine, not of what the task reads. */
export class WorkerError extends Error {
  constructor(why: string, options?: ErrorOptions) {
    super(`The manager’s worker thread failed: ${why}`, options);
    this.name = 'WorkerError';
  }
}

/** Messages from the manager to the worker: it has handled one message. */
interface ToWorker {
  kind: 'taken';
}

/**
 * Runs a task in its own worker thread with a bounded heap, so that long or risky work (a hostile file) can't block or crash
 * the manager. The thread gets no environment but the compile cache, and its output is dropped; input, messages and result are copied (structured
 * clone).
 * @param entry a module that calls `serveTask`
 * @throws AppErrors as the task threw them; the signal's reason; Error when the heap is full or the time is used up; WorkerError for
 *   anything else
 */
export async function runTask<Input, Message, Result>(
  entry: URL,
  input: Input,
  options: {
    /** Terminates the thread immediately. */
    signal?: AbortSignal | undefined;
    /** Bound of the thread's JavaScript heap, MiB. */
    heapMb: number;
    /** Processor time of the thread, its start included: on a busy machine that takes longer, and is no fault of the task. */
    processorMs: number;
    /** Called with the task's messages, one after another; the task waits when too many are in transit (see `serveTask`). */
    onMessage?: (message: Message) => void | Promise<void>;
    /** The error when the heap is full. */
    outOfMemory?: () => Error;
    /** The error when the processor time is used up. */
    timedOut?: () => Error;
  },
): Promise<Result> {
  const { signal, heapMb, processorMs, onMessage, outOfMemory, timedOut } = options;
  signal?.throwIfAborted();
  const end = Promise.withResolvers<Result>();
  const worker = new Worker(entry, {
    workerData: { input, deadline: actingDeadline.shared } satisfies TaskData<Input>,
    env: threadEnvironment(),
    stdout: true,
    stderr: true,
    argv: [],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngGenerationMb },
  });
  // Output of libraries about a hostile file is useless; the error matters.
  worker.stdout.resume();
  worker.stderr.resume();

  let telling = Promise.resolve();
  worker.on('message', (said: FromWorker<Message, Result>) => {
    switch (said.kind) {
      case 'message':
        telling = telling
          .then(() => onMessage?.(said.message))
          .then(() => worker.postMessage({ kind: 'taken' } satisfies ToWorker));
        telling.catch(end.reject);
        break;
      case 'result':
        telling.then(() => end.resolve(said.result), end.reject);
        break;
      case 'failed':
        end.reject(errorOf(said.code, said.message, said.issues ? { issues: said.issues } : {}));
        break;
      default:
        said satisfies never;
    }
  });
  worker.on('error', (error: NodeJS.ErrnoException) => {
    const full = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    end.reject(full ? (outOfMemory?.() ?? error) : new WorkerError(error.message, { cause: error }));
  });
  worker.on('messageerror', (error) => end.reject(new WorkerError(error.message, { cause: error })));
  worker.on('exit', () => end.reject(new WorkerError('it ended without a result')));

  const used = (): Promise<number> =>
    worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1_000,
      // It has ended.
      () => 0,
    );
  const limit = setInterval(
    async () => {
      if ((await used()) >= processorMs)
        end.reject(timedOut?.() ?? new Error(`Not done after ${processorMs} ms of processor time`));
    },
    Math.min(250, processorMs / 2),
  );
  const aborted = (): void => end.reject(signal?.reason);
  signal?.addEventListener('abort', aborted, { once: true });
  try {
    return await end.promise;
  } finally {
    clearInterval(limit);
    signal?.removeEventListener('abort', aborted);
    await worker.terminate();
  }
}

/** A thread's environment: Node's cache of compiled modules, with which it starts in half the time, and nothing else. */
export function threadEnvironment(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  // Node adds a directory of its version.
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}

/** Small: each thread has two semi-spaces, and they never shrink. */
const youngGenerationMb = 8;
