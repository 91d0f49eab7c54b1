import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../lib/errors.ts';
import { type DatabaseSchema, RefusedContent, type RowCounts } from '../tenant-database.ts';

interface Inspection {
  counts: RowCounts;
  schema: DatabaseSchema;
}

/**
 * Reads through a SQLite file in a thread of its own.
 * @param options.integrity the file is a copy of ours: bring it in order, and check all of it
 * @throws RefusedContent where it is no database or is damaged; Error where that can't be told; the signal's reason
 */
export async function inspectSqlite(
  path: string,
  options: { integrity: boolean; signal: AbortSignal },
): Promise<Inspection> {
  options.signal.throwIfAborted();
  const worker = new Worker(new URL('./inspect-worker.ts', import.meta.url), {
    workerData: { path, integrity: options.integrity },
  });
  const answer = Promise.withResolvers<Inspection & { problems: string[] }>();
  const abort = (): void => answer.reject(options.signal.reason);
  options.signal.addEventListener('abort', abort, { once: true });
  worker.once('message', answer.resolve);
  worker.once('error', (error) =>
    answer.reject(new Error(`The SQLite file could not be read: ${messageOf(error)}`, { cause: error })),
  );
  worker.once('exit', () => answer.reject(new Error('The SQLite file could not be read')));
  try {
    const { problems, ...inspection } = await answer.promise;
    if (problems.length > 0) throw new RefusedContent(`The SQLite file is damaged: ${problems.join('; ')}`);
    return inspection;
  } finally {
    options.signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}
