import { looksOf } from './profile.ts';

/** So many cells of a column are shown, and so much of each. */
const shownCells = 3;
const shownLetters = 40;
const shownHeader = 100;

/** The form of a text without its content: letters become x and X, digits 9; signs and length stay. */
export function masked(text: string): string {
  return text
    .replace(/\p{Lu}/gu, 'X')
    .replace(/[\p{L}\p{M}]/gu, (letter) => (letter === 'X' ? 'X' : 'x'))
    .replace(/\p{N}/gu, '9');
}

/** A header as it may leave the house: one that looks like a person's data (a list whose first row was taken for headers) is masked. */
export function shownOfHeader(header: string): string {
  const looks = looksOf(header);
  const personal = looks.some(
    (look) => look === 'email' || look === 'phone' || look === 'street' || look === 'full_name',
  );
  return (personal ? masked(header) : header).slice(0, shownHeader);
}

/** A few different cells of a column, masked unless they may be shown as they are. */
export function shownOfCells(rows: readonly (readonly string[])[], column: number, raw: boolean): string[] {
  const shown = new Set<string>();
  for (const row of rows) {
    const text = (row[column] ?? '').trim().slice(0, shownLetters);
    if (text !== '') shown.add(raw ? text : masked(text));
    if (shown.size === shownCells) break;
  }
  return [...shown];
}
