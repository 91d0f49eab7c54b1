import type { TableRow } from '../../../adapters/tabular/tabular.ts';
import { readCorrectedRows } from '../corrections/apply.ts';
import type { FieldMapping } from '../mapping/field-mapping.ts';
import { duplicateFinder } from './checks/duplicates.ts';
import { errorCodes, type FindingCode, type RowFinding, reasonsOf } from './checks/finding.ts';
import { rowCheck } from './checks/row-check.ts';
import { ErrorsCsv } from './files/errors-csv.ts';
import {
  type FoundCells,
  type ImportMessage,
  progressReporter,
  type ValidateResult,
  type ValidateTask,
} from './tasks.ts';

/** Checks every row of a list; the rejected ones are written to errors.csv. */
export async function validate(
  task: ValidateTask,
  send: (message: ImportMessage) => Promise<void>,
): Promise<ValidateResult> {
  const { targets, check } = rowCheck(task);
  const duplicateOf = duplicateFinder(targets, task.rowCount);
  const tally = new FindingsTally();
  const keepCells = cellKeeper(task.mappings, task.layout.headers);
  const progress = progressReporter(send);
  let [total, rejected, warned] = [0, 0, 0];

  await using errorsCsv = await ErrorsCsv.open(task.errorsPath, task.layout.headers, 'begin');
  for await (const batch of readCorrectedRows(task.path, task.layout, task.corrections)) {
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
      if (row.findings.filter((finding) => tally.add(finding)).length > 0) keepCells.add(tableRow);
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
    cells: keepCells.found,
    summary: tally.summary(),
  };
}

const shown = 1_000;

/** Collects findings on rows: the first thousand errors and warnings, and how many there are of each kind. */
export class FindingsTally {
  readonly errors: RowFinding[] = [];
  readonly warnings: RowFinding[] = [];
  readonly #counts = new Map<string, { code: FindingCode; column: string | null; count: number }>();

  /** @returns whether it is among the first thousand */
  add(finding: RowFinding): boolean {
    const list = finding.code in errorCodes ? this.errors : this.warnings;
    const kept = list.length < shown;
    if (kept) list.push(finding);
    const key = `${finding.code}|${finding.column}`;
    const counted = this.#counts.get(key);
    if (counted) counted.count += 1;
    else this.#counts.set(key, { code: finding.code, column: finding.column, count: 1 });
    return kept;
  }

  /** The most frequent first. */
  summary(): { code: FindingCode; column: string | null; count: number }[] {
    return [...this.#counts.values()].sort((one, other) => other.count - one.count);
  }
}

/** Columns whose cells are kept, and characters of all kept cells, at most: a thread has little memory. */
const maxKeptColumns = 100;
const maxKeptLength = 2_000_000;

/** Keeps the cells of rows with findings, so that users can correct them. */
function cellKeeper(mappings: readonly FieldMapping[], headers: readonly string[]) {
  const imported = new Set(mappings.filter(({ target }) => target !== 'skip').map(({ source }) => source));
  const columns = headers.filter((header) => imported.has(header)).slice(0, maxKeptColumns);
  const places = columns.map((header) => headers.indexOf(header));
  const found: FoundCells = { columns, rows: [] };
  let left = maxKeptLength;
  return {
    found,
    add({ number, cells }: TableRow): void {
      const kept = places.map((at) => cells[at] ?? '');
      left -= kept.reduce((sum, { length }) => sum + length, 0);
      if (left >= 0) found.rows.push({ row: number, cells: kept });
    },
  };
}
