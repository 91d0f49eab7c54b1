import { AppError } from '../../../lib/errors.ts';
import { readCorrectedRows } from '../corrections/apply.ts';
import { isPersonField, personFieldEntries } from '../mapping/person-fields.ts';
import { duplicateFinder } from './checks/duplicates.ts';
import { rowCheck } from './checks/row-check.ts';
import type { DuplicateChoice, ListSource } from './tasks.ts';
import { tags } from './values/text.ts';

/** Characters of the values that are merged, at most: a thread has little memory. */
const maxMergedLength = 6_000_000;

/** Which of the rows for one person is imported, and what is added to it. Rows are counted from 1. */
export interface DuplicatePlan {
  leavesOut(row: number): boolean;
  /** Fills what the row leaves empty with the values of the rows that are left out for it. */
  complete(row: number, values: string[]): void;
}

/**
 * Reads the whole list to find the rows for the same person (by the rule of `duplicateFinder`), and decides between them.
 * @throws AppError unsupported_file where too much is to be merged
 */
export async function planDuplicates(
  source: ListSource,
  { choice, rowCount }: { choice: DuplicateChoice; rowCount: number },
): Promise<DuplicatePlan> {
  const { targets, check } = rowCheck(source);
  const duplicateOf = duplicateFinder(targets, rowCount);
  // By row, outside the thread's heap: a long list may have hundreds of thousands of duplicates.
  const leftOut = new Uint8Array(rowCount + 1);
  const lastOf = new Uint32Array(choice === 'last' ? rowCount + 1 : 0);
  const merged = new Map<number, string[]>();
  const tagsAt = targets.indexOf('tags');
  const isPhone = targets.map((target) => isPersonField(target) && personFieldEntries[target].transform === 'phone');
  let length = 0;

  const merge = (into: string[], values: readonly string[]): void => {
    for (const [at, value] of values.entries()) {
      const own = into[at] ?? '';
      if (value === '' || (isPhone[at] && into.includes(value))) continue;
      // Within the limits of one cell: the tags of earlier rows come first.
      if (at === tagsAt) into[at] = tags(`${own},${value}`);
      else if (own === '') into[at] = value;
    }
  };

  for await (const batch of readCorrectedRows(source.path, source.layout, source.corrections)) {
    for (const tableRow of batch) {
      const row = check(tableRow);
      const duplicate = row.rejected ? undefined : duplicateOf(tableRow.number, row.values);
      if (!duplicate) continue;
      const { firstRow } = duplicate;
      leftOut[choice === 'last' ? lastOf[firstRow] || firstRow : tableRow.number] = 1;
      if (choice === 'last') lastOf[firstRow] = tableRow.number;
      if (choice !== 'merge') continue;
      const kept = merged.get(firstRow) ?? row.values.map(() => '');
      merge(kept, row.values);
      merged.set(firstRow, kept);
      length += row.values.reduce((sum, value) => sum + value.length, 0);
      if (length > maxMergedLength)
        throw new AppError(
          'unsupported_file',
          'The list has too many duplicate rows to merge them: keep the first or the last of each',
        );
    }
  }
  return {
    leavesOut: (row) => leftOut[row] === 1,
    complete(row, values) {
      const others = merged.get(row);
      if (others) merge(values, others);
    },
  };
}
