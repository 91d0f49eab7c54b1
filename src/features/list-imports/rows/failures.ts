import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { readCorrectedRows } from '../corrections/apply.ts';
import { ErrorsCsv } from './files/errors-csv.ts';
import { type FailuresResult, type FailuresTask, type ImportMessage, progressReporter } from './tasks.ts';

/** Rows of one part that the tenant rejected. */
const refusalList = z.array(z.object({ row: z.int(), message: z.string() }));
export type Refusals = z.output<typeof refusalList>;

/**
 * Appends rows that the tenant refused, as they stand in the list, to errors.csv. Keeps the refusals of one part in memory, as
 * a tenant may refuse all of a long list; reads no further than the last of them.
 */
export async function writeFailedRows(
  task: FailuresTask,
  send: (message: ImportMessage) => Promise<void>,
): Promise<FailuresResult> {
  const parts = partsOf(task.refusals);
  const progress = progressReporter(send);
  await using errorsCsv = await ErrorsCsv.open(task.errorsPath, task.layout.headers, 'append');
  let part = await nextOf(parts);
  let read = 0;
  for await (const batch of readCorrectedRows(task.path, task.layout, task.corrections)) {
    for (const tableRow of batch) {
      read += 1;
      while (part && tableRow.number > part.lastRow) part = await nextOf(parts);
      if (!part) return { written: errorsCsv.written };
      const messages = part.reasons.get(tableRow.number)?.map(({ message }) => message);
      if (messages) await errorsCsv.add(tableRow, messages);
    }
    await progress(read);
  }
  return { written: errorsCsv.written };
}

interface RefusedPart {
  reasons: ReadonlyMap<number, Refusals>;
  lastRow: number;
}

async function* partsOf(paths: readonly string[]): AsyncGenerator<RefusedPart, undefined> {
  for (const path of paths) {
    const refusals = refusalList.parse(JSON.parse(await readFile(path, 'utf8')));
    const lastRow = refusals.reduce((last, { row }) => Math.max(last, row), 0);
    yield { reasons: Map.groupBy(refusals, ({ row }) => row), lastRow };
  }
}

const nextOf = async (parts: AsyncGenerator<RefusedPart, undefined>): Promise<RefusedPart | undefined> =>
  (await parts.next()).value;
