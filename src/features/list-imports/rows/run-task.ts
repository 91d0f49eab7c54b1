import PQueue from 'p-queue';
import type { TableLayout } from '../../../adapters/tabular/tabular.ts';
import { AppError } from '../../../lib/errors.ts';
import { runTask } from '../../../lib/workers/worker-task.ts';
import type {
  ConvertResult,
  ConvertTask,
  ExamineResult,
  ExamineTask,
  FailuresResult,
  FailuresTask,
  ImportMessage,
  ImportTask,
  ListPart,
  ValidateResult,
  ValidateTask,
} from './tasks.ts';

interface RunOptions {
  /** Ends the thread at once and leaves unfinished files. */
  signal?: AbortSignal | undefined;
  /** Rows read so far. */
  onProgress?: (rows: number) => void;
}

const entry = new URL('./worker.ts', import.meta.url);

/** Bounds of a thread's heap, MiB: what is streamed needs little; .xls and .ods are read as a whole. */
const streamingHeapMb = 48;
const inMemoryHeapMb = 320;
const minute = 60_000;
/** How much processor time each kind of task may take. */
const minutes = { examine: 10, validate: 30, convert: 24 * 60, failures: 30 };

/** Detects the layout of an uploaded file. @throws AppError unsupported_file, validation_error (`sheet`, `header_row`) */
export async function examineList(task: Omit<ExamineTask, 'task'>, options: RunOptions = {}): Promise<ExamineResult> {
  const examine = { task: 'examine', ...task } as const;
  try {
    return await run(examine, streamingHeapMb, options);
  } catch (error) {
    // Which kind of file it is shows only inside the thread.
    if (!(error instanceof OutOfHeapError)) throw error;
    return run(examine, inMemoryHeapMb, options);
  }
}

/** Checks every row of a list. @throws AppError unsupported_file when it can't be read to its end */
export function validateList(task: Omit<ValidateTask, 'task'>, options: RunOptions = {}): Promise<ValidateResult> {
  return run({ task: 'validate', ...task }, heapFor(task.layout), options);
}

/**
 * Converts a list into files for the tenant's bulk import. `onPart` gets each finished part; at most one more part is made while it
 * runs. `onPart` has always ended when this returns or throws, so callers can remove its files.
 */
export async function convertList(
  task: Omit<ConvertTask, 'task'>,
  options: RunOptions & { onPart?: (part: ListPart) => void | Promise<void> } = {},
): Promise<ConvertResult> {
  const { onPart, ...others } = options;
  let taking: Promise<void> | undefined;
  const take = async (part: ListPart): Promise<void> => onPart?.(part);
  try {
    return await run({ task: 'convert', ...task }, heapFor(task.layout), {
      ...others,
      onPart: (part) => {
        taking = take(part);
        return taking;
      },
    });
  } finally {
    await taking?.catch(() => undefined);
  }
}

/** Writes rows that the tenant refused to errors.csv. */
export function writeFailures(task: Omit<FailuresTask, 'task'>, options: RunOptions = {}): Promise<FailuresResult> {
  return run({ task: 'failures', ...task }, heapFor(task.layout), options);
}

function heapFor({ format }: TableLayout): number {
  return format === 'csv' || format === 'xlsx' ? streamingHeapMb : inMemoryHeapMb;
}

/** The file needs more memory than the largest heap. */
class OutOfHeapError extends AppError {
  constructor() {
    super('unsupported_file', 'The file needs too much memory to be read. Save it as CSV and upload it again');
  }
}

function run<Result>(
  task: ImportTask,
  heapMb: number,
  options: RunOptions & { onPart?: (part: ListPart) => void | Promise<void> },
): Promise<Result> {
  const limit = minutes[task.task];
  return runTask<ImportTask, ImportMessage, Result>(entry, task, {
    signal: options.signal,
    heapMb,
    processorMs: limit * minute,
    onMessage: (message) => {
      if (message.kind === 'part') return options.onPart?.(message.part);
      options.onProgress?.(message.rows);
    },
    outOfMemory: () => new OutOfHeapError(),
    timedOut: () =>
      new AppError('unsupported_file', `The file needs more than ${limit} minutes of processor time to be read`),
  });
}

export type WorkerPool = ReturnType<typeof createWorkerPool>;

/** Threads that read lists, a bounded number at a time: each takes memory of its own. */
export function createWorkerPool(concurrency: number) {
  const queue = new PQueue({ concurrency });
  return {
    /** @throws the signal's reason where it is aborted before its turn */
    run: <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => queue.add(work, { signal }),
  };
}
