import { readRows } from '../../../adapters/tabular/tabular.ts';
import { duplicateFinder } from './checks/duplicates.ts';
import { errorCodes, type FindingCode, type RowFinding, reasonsOf } from './checks/finding.ts';
import { rowCheck } from './checks/row-check.ts';
import { ErrorsCsv } from './files/errors-csv.ts';
import { type ImportMessage, progressReporter, type ValidateResult, type ValidateTask } from './tasks.ts';

/** Checks every row of a list; the rejected ones are written to errors.csv. */
export async function validate(
  task: ValidateTask,
  send: (message: ImportMessage) => Promise<void>,
): Promise<ValidateResult> {
  const { targets, check } = rowCheck(task);
  const duplicateOf = duplicateFinder(targets, task.rowCount);
  const tally = new FindingsTally();
  const progress = progressReporter(send);
  let [total, rejected, warned] = [0, 0, 0];

  await using errorsCsv = await ErrorsCsv.open(task.errorsPath, task.layout.headers, 'begin');
  for await (const batch of readRows(task.path, task.layout)) {
    for (const tableRow of batch) {
      total += 1;
      const row = check(tableRow);
      if (!row.rejected) {
        const duplicate = duplicateOf(tableRow.fileRow, row.values);
        if (duplicate) {
          const message = `Duplicate of row ${duplicate.firstRow} of the file: ${duplicate.because}`;
          row.addFinding('duplicate_in_file', undefined, null, '', message);
        }
      }
      if (row.findings.length === 0) continue;
      for (const finding of row.findings) tally.add(finding);
      if (row.rejected) {
        rejected += 1;
        await errorsCsv.add(tableRow, reasonsOf(row.findings));
      } else warned += 1;
    }
    await progress(total);
  }
  return {
    total,
    valid_count: total - rejected,
    error_count: rejected,
    warning_count: warned,
    errors: tally.errors,
    warnings: tally.warnings,
    summary: tally.summary(),
  };
}

const shown = 1_000;

/** Collects findings on rows: the first thousand errors and warnings, and how many there are of each kind. */
export class FindingsTally {
  readonly errors: RowFinding[] = [];
  readonly warnings: RowFinding[] = [];
  readonly #counts = new Map<string, { code: FindingCode; column: string | null; count: number }>();

  add(finding: RowFinding): void {
    const list = finding.code in errorCodes ? this.errors : this.warnings;
    if (list.length < shown) list.push(finding);
    const key = `${finding.code}|${finding.column}`;
    const counted = this.#counts.get(key);
    if (counted) counted.count += 1;
    else this.#counts.set(key, { code: finding.code, column: finding.column, count: 1 });
  }

  /** The most frequent first. */
  summary(): { code: FindingCode; column: string | null; count: number }[] {
    return [...this.#counts.values()].sort((one, other) => other.count - one.count);
  }
}
