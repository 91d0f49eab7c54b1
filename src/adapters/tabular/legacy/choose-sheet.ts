import { invalid } from '../../../lib/errors.ts';
import { refused } from '../limits.ts';
import type { SheetInfo } from '../table.ts';

/**
 * The sheet to read: the requested one, else the first that is not empty.
 * @throws AppError validation_error naming `sheet`; unsupported_file when all are empty
 */
export function chooseSheet(sheets: readonly SheetInfo[], wanted: string | undefined): string {
  if (wanted !== undefined) {
    const same = (name: string): boolean => name.toLowerCase() === wanted.toLowerCase();
    const found = sheets.find(({ name }) => name === wanted) ?? sheets.find(({ name }) => same(name));
    if (found) return found.name;
    throw invalid('sheet', `there is no sheet ${JSON.stringify(wanted)}; there are ${namesOf(sheets)}`);
  }
  const first = sheets.find(({ empty }) => !empty);
  if (!first) throw refused('The workbook has no sheet with something in it');
  return first.name;
}

/** A warning about the sheets that are not read. */
export function sheetWarnings(sheets: readonly SheetInfo[], chosen: string): string[] {
  const others = sheets.filter(({ name, empty }) => !empty && name !== chosen);
  return others.length === 0 ? [] : [`Sheet "${chosen}" is read; there is also ${namesOf(others)}.`];
}

function namesOf(sheets: readonly SheetInfo[]): string {
  const names = sheets.slice(0, 20).map(({ name }) => JSON.stringify(name));
  return names.join(', ') + (sheets.length > names.length ? ', …' : '');
}
