import { join } from 'node:path';
import { mkdir } from '../../../lib/files/changes.ts';
import { type CorrectedRow, readCorrectedRows } from '../corrections/apply.ts';
import { withholding } from '../mapping/sensitive.ts';
import { duplicateFinder } from './checks/duplicates.ts';
import { reasonsOf } from './checks/finding.ts';
import { rowCheck } from './checks/row-check.ts';
import { planDuplicates } from './duplicate-plan.ts';
import { CsvFile } from './files/csv-file.ts';
import { ErrorsCsv } from './files/errors-csv.ts';
import { partHeader } from './files/part-columns.ts';
import { type ConvertResult, type ConvertTask, type ImportMessage, type ListPart, progressReporter } from './tasks.ts';

/** Writes the rows that are not rejected as parts for the tenant's bulk import, and reports each finished part. */
export async function convert(
  task: ConvertTask,
  send: (message: ImportMessage) => Promise<void>,
): Promise<ConvertResult> {
  const { mappings, layout, directory, rowsPerPart, originals, errorsPath } = task;
  const { targets, check } = rowCheck(task);
  const duplicateOf = task.distinct && duplicateFinder(targets, task.distinct.rowCount);
  const plan = task.duplicates && (await planDuplicates(task, task.duplicates));
  const header = partHeader(mappings, layout.headers, originals);
  const isWithheld = withholding(layout, mappings);
  const firstRow = task.from?.row ?? 1;
  const firstPart = task.from?.part ?? 1;
  const progress = progressReporter(send);
  const result: ConvertResult = { parts: 0, rows: 0, rejected: 0, duplicates: 0, total: 0 };
  let part: (ListPart & { list: CsvFile }) | undefined;

  const originalsOf = ({ cells, uploadedCells = cells }: CorrectedRow, width: number): string[] =>
    uploadedCells.slice(0, width).map((cell, column) => (isWithheld(column, cell) ? '' : cell));
  const startPart = async () => {
    const number = firstPart + result.parts;
    const file = `part-${String(number).padStart(5, '0')}.csv`;
    const list = await CsvFile.open(join(directory, file), 'begin', { header, rowDelimiter: '\n' });
    return { number, file, rows: [], duplicates: 0, list };
  };
  const finishPart = async (): Promise<void> => {
    if (!part) return;
    const { list, ...finished } = part;
    await list.finish();
    finished.duplicates = result.duplicates;
    result.duplicates = 0;
    part = undefined;
    result.parts += 1;
    await send({ kind: 'part', part: finished });
  };

  await mkdir(directory, { recursive: true });

  await using errorsCsv = errorsPath ? await ErrorsCsv.open(errorsPath, layout.headers, 'begin') : undefined;
  try {
    for await (const batch of readCorrectedRows(task.path, layout, task.corrections)) {
      for (const tableRow of batch) {
        result.total += 1;
        if (tableRow.number < firstRow) continue;
        const row = check(tableRow);
        if (row.rejected) {
          result.rejected += 1;
          await errorsCsv?.add(tableRow, reasonsOf(row.findings));
          continue;
        }
        if (duplicateOf?.(tableRow.fileRow, row.values)) continue;
        if (plan?.leavesOut(tableRow.number)) {
          result.duplicates += 1;
          continue;
        }
        plan?.complete(tableRow.number, row.values);
        part ??= await startPart();
        result.rows += 1;
        part.rows.push(tableRow.number);
        await part.list.add(originals ? [...row.values, ...originalsOf(tableRow, layout.headers.length)] : row.values);
        if (part.rows.length === rowsPerPart) await finishPart();
      }
      await progress(result.total);
    }
    await finishPart();
  } finally {
    await part?.list[Symbol.asyncDispose]();
  }
  return result;
}
