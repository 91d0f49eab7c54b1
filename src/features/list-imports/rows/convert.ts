import { readRows, type TableRow } from '../../../adapters/tabular/tabular.ts';
import { duplicateFinder } from './checks/duplicates.ts';
import { reasonsOf } from './checks/finding.ts';
import { rowCheck } from './checks/row-check.ts';
import { ErrorsCsv } from './files/errors-csv.ts';
import { partHeader } from './files/part-columns.ts';
import { PartWriter } from './files/part-writer.ts';
import { type ConvertResult, type ConvertTask, type ImportMessage, progressReporter } from './tasks.ts';

/** Writes the rows that are not rejected as parts for the tenant's bulk import, and reports each finished part. */
export async function convert(
  task: ConvertTask,
  send: (message: ImportMessage) => Promise<void>,
): Promise<ConvertResult> {
  const { mappings, layout, directory, rowsPerPart, originals, errorsPath } = task;
  const { targets, check } = rowCheck(task);
  const duplicateOf = task.distinct && duplicateFinder(targets, task.distinct.rowCount);
  const header = partHeader(mappings, layout.headers, originals);
  const firstRow = task.from?.row ?? 1;
  const firstPart = task.from?.part ?? 1;
  const progress = progressReporter(send);
  const result: ConvertResult = { parts: 0, rows: 0, rejected: 0, total: 0 };
  let rejectedSince = 0;
  let part: PartWriter | undefined;

  const finishPart = async (): Promise<void> => {
    if (!part) return;
    await using finished = part;
    part = undefined;
    result.parts += 1;
    await send({ kind: 'part', part: await finished.finish(rejectedSince) });
    rejectedSince = 0;
  };

  await using errorsCsv = errorsPath ? await ErrorsCsv.open(errorsPath, layout.headers, 'begin') : undefined;
  try {
    for await (const batch of readRows(task.path, layout)) {
      for (const tableRow of batch) {
        result.total += 1;
        if (tableRow.number < firstRow) continue;
        const row = check(tableRow);
        if (row.rejected) {
          result.rejected += 1;
          rejectedSince += 1;
          await errorsCsv?.add(tableRow, reasonsOf(row.findings));
          continue;
        }
        if (duplicateOf?.(tableRow.number, row.values)) continue;
        part ??= await PartWriter.start(directory, firstPart + result.parts, header);
        result.rows += 1;
        const written = part.add(
          tableRow.number,
          tableRow.fileRow,
          originals ? withOriginal(row.values, tableRow, layout.headers.length) : row.values,
        );
        if (written) await written;
        if (part.rows === rowsPerPart) await finishPart();
      }
      await progress(result.total);
    }
    await finishPart();
  } finally {
    await part?.[Symbol.asyncDispose]();
  }
  return result;
}

function withOriginal(values: readonly string[], { cells }: TableRow, width: number): string[] {
  return [...values, ...(cells.length > width ? cells.slice(0, width) : cells)];
}
