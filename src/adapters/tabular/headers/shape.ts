import type { RawRow, TableLayout } from '../table.ts';
import { findHeader, headerAt } from './find-header.ts';

/** Longer ones are cut. */
const maxHeaderCharacters = 200;

/**
 * The headers of a table: trimmed, on one line, unique without regard to case (`Phone`, `Phone (2)`), and `Column C` for an
 * empty one.
 */
function distinctHeaders(cells: readonly string[], width: number): string[] {
  const taken = new Set<string>();
  return Array.from({ length: width }, (_, column) => {
    const text = (cells[column] ?? '').replace(/\s+/g, ' ').trim().slice(0, maxHeaderCharacters);
    const wanted = text === '' ? `Column ${columnName(column)}` : text;
    let name = wanted;
    for (let copy = 2; taken.has(name.toLowerCase()); copy++) name = `${wanted} (${copy})`;
    taken.add(name.toLowerCase());
    return name;
  });
}

/** A column's name in spreadsheets: 0 is A, 26 is AA. */
export function columnName(column: number): string {
  let name = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  return name;
}

type Shape = Pick<TableLayout, 'headerRow' | 'firstRow' | 'headers'> & { warnings: string[] };

/**
 * The position of a table's headers and data, and its columns.
 * @param rows the first rows that are not blank, at least one
 * @param even the file has rows of one width (a delimited text), so that a wider one is an exception
 * @param headerRow the user's choice of the header row (null: none); detected if omitted
 * @throws AppError validation_error naming `header_row`
 */
export function shapeOf(rows: readonly RawRow[], even: boolean, headerRow?: number | null): Shape {
  const { header, firstRow } = headerRow === undefined ? findHeader(rows) : headerAt(rows, headerRow);
  const data = rows.filter((row) => row.fileRow >= firstRow);
  const labels = header?.cells ?? [];
  const width = Math.max(
    filledWidth(labels),
    even ? usualWidth(header ? [header, ...data] : data) : Math.max(0, ...data.map(widthOf)),
    1,
  );
  const headers = distinctHeaders(labels, width);
  return {
    headerRow: header?.fileRow ?? null,
    firstRow,
    headers,
    warnings: warningsOf(rows, header, firstRow, headers),
  };
}

const widthOf = (row: RawRow): number => filledWidth(row.cells);

/** Columns up to the last that is not empty. */
function filledWidth(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== '') + 1;
}

/** The most common number of cells, limited to non-empty ones. */
function usualWidth(rows: readonly RawRow[]): number {
  const counts = new Map<number, number>();
  for (const { cells } of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  let usual = 0;
  for (const [width, count] of counts) if (count > (counts.get(usual) ?? 0)) usual = width;
  return Math.min(usual, Math.max(0, ...rows.map((row) => filledWidth(row.cells.slice(0, usual)))));
}

function warningsOf(
  rows: readonly RawRow[],
  header: RawRow | undefined,
  firstRow: number,
  headers: readonly string[],
): string[] {
  const warnings: string[] = [];
  const top = header?.fileRow ?? firstRow;
  const above = rows.filter((row) => row.fileRow < top).length;
  if (above > 0)
    warnings.push(
      above === 1 ? `1 title row above row ${top} is left out.` : `${above} title rows above row ${top} are left out.`,
    );
  if (!header) warnings.push('The file has no header row: the columns are named by their letters.');
  else {
    const changed = headers.filter((name, column) => name !== (header.cells[column] ?? '').replace(/\s+/g, ' ').trim());
    if (changed.length > 0)
      warnings.push(
        `Empty or repeated headers were named: ${changed.slice(0, 10).join(', ')}${changed.length > 10 ? ', …' : ''}.`,
      );
  }
  return warnings;
}
