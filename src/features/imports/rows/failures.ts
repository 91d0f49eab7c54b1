import { readRows } from '../../../platform/tabular/tabular.ts';
import { ErrorsCsv } from './errors-csv.ts';
import { progressTeller } from './progress.ts';
import type { FailuresResult, FailuresTask, ImportMessage } from './tasks.ts';

/** Appends rows that the tenant refused, as they stand in the list, to errors.csv. Reads no further than the last of them. */
export async function writeFailedRows(
  task: FailuresTask,
  send: (message: ImportMessage) => Promise<void>,
): Promise<FailuresResult> {
  const reasons = Map.groupBy(task.failures, ({ row }) => row);
  const lastRow = task.failures.reduce((last, { row }) => Math.max(last, row), 0);
  const progress = progressTeller(send);
  await using errorsCsv = await ErrorsCsv.open(task.errorsPath, task.layout.headers, 'append');
  if (lastRow === 0) return { written: 0 };
  let read = 0;
  for await (const batch of readRows(task.path, task.layout)) {
    for (const tableRow of batch) {
      read += 1;
      const messages = reasons.get(tableRow.number)?.map(({ message }) => message);
      if (messages) await errorsCsv.add(tableRow, messages);
    }
    if (read >= lastRow) break;
    await progress(read);
  }
  return { written: errorsCsv.written };
}
