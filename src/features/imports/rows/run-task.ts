import { AppError } from '../../../kernel/errors.ts';
import { runTask } from '../../../kernel/worker-task.ts';
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
  /** Ends the thread at once; what it was writing stays behind, unfinished. */
  signal?: AbortSignal | undefined;
  /** Rows read so far. */
  onProgress?: (rows: number) => void;
}

const entry = new URL('../worker.ts', import.meta.url);

/** Enough for the shared strings of a large workbook, and little beside the manager itself. */
const heapMb = 96;
const minute = 60_000;

/** Finds out what an uploaded file is. @throws AppError unsupported_file, validation_error (`sheet`) */
export function examineList(task: Omit<ExamineTask, 'task'>, options: RunOptions = {}): Promise<ExamineResult> {
  return run({ task: 'examine', ...task }, 10 * minute, options);
}

/** Checks every row of a list. @throws AppError unsupported_file when it can't be read to its end */
export function validateList(task: Omit<ValidateTask, 'task'>, options: RunOptions = {}): Promise<ValidateResult> {
  return run({ task: 'validate', ...task }, 30 * minute, options);
}

/**
 * Turns a list into files for the tenant's bulk import. `onPart` is told each part when it is whole; at most one more is
 * made while it is being dealt with.
 */
export function convertList(
  task: Omit<ConvertTask, 'task'>,
  options: RunOptions & { onPart?: (part: ListPart) => void | Promise<void> } = {},
): Promise<ConvertResult> {
  return run({ task: 'convert', ...task }, 24 * 60 * minute, options);
}

/** Writes rows that the tenant refused to errors.csv. */
export function writeFailures(task: Omit<FailuresTask, 'task'>, options: RunOptions = {}): Promise<FailuresResult> {
  return run({ task: 'failures', ...task }, 30 * minute, options);
}

function run<Result>(
  task: ImportTask,
  timeoutMs: number,
  options: RunOptions & { onPart?: (part: ListPart) => void | Promise<void> },
): Promise<Result> {
  return runTask<ImportTask, ImportMessage, Result>(entry, task, {
    signal: options.signal,
    heapMb,
    timeoutMs,
    onMessage: (message) => {
      if (message.kind === 'part') return options.onPart?.(message.part);
      options.onProgress?.(message.rows);
    },
    outOfMemory: () => new AppError('unsupported_file', 'The file needs more memory to be read than a list may take'),
    timedOut: () =>
      new AppError('unsupported_file', `The file was not read to its end within ${timeoutMs / minute} minutes`),
  });
}
