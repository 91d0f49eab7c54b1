import { readRows, type TableLayout, type TableRow } from '../../../adapters/tabular/tabular.ts';
import { type Correction, maxCellLength } from './correction.ts';

/** A row as it is read with the corrections. */
export interface CorrectedRow extends TableRow {
  /** The cells of the file, where corrections changed them. */
  uploadedCells?: string[];
}

/** The data rows of a list in batches, as `readRows`, with the corrections applied in their order. */
export async function* readCorrectedRows(
  path: string,
  layout: TableLayout,
  corrections: readonly Correction[],
): AsyncGenerator<CorrectedRow[]> {
  const correct = corrector(layout.headers, corrections);
  for await (const batch of readRows(path, layout)) yield correct ? batch.map(correct) : batch;
}

interface Change {
  at: number;
  /** Its place among all corrections. */
  order: number;
  newValue(cell: string): string;
}

/** @returns what corrects a row; undefined where there is nothing to correct */
function corrector(
  headers: readonly string[],
  corrections: readonly Correction[],
): ((row: TableRow) => CorrectedRow) | undefined {
  if (corrections.length === 0) return undefined;
  const everyRow: Change[] = [];
  const byRow = new Map<number, Change[]>();
  for (const [order, correction] of corrections.entries()) {
    const at = headers.indexOf(correction.column);
    if (at < 0) continue;
    if ('row' in correction) {
      const changes = byRow.get(correction.row) ?? [];
      changes.push({ at, order, newValue: () => correction.value });
      byRow.set(correction.row, changes);
    } else everyRow.push({ at, order, newValue: replacing(correction) });
  }
  return (row) => {
    const own = byRow.get(row.number);
    if (!own && everyRow.length === 0) return row;
    const changes = own ? [...everyRow, ...own].sort((one, other) => one.order - other.order) : everyRow;
    const cells = [...row.cells];
    for (const { at, newValue } of changes) cells[at] = newValue(cells[at] ?? '');
    return cells.every((cell, at) => cell === row.cells[at]) ? row : { ...row, cells, uploadedCells: row.cells };
  };
}

function replacing({ find, replace, match }: Extract<Correction, { find: string }>): (cell: string) => string {
  const whole = find.trim();
  if (match === 'cell') return (cell) => (cell.trim() === whole ? replace : cell);
  // A text that is replaced by a longer one again and again must not grow without limit.
  return (cell) =>
    cell.includes(find) ? cell.replaceAll(find, () => replace).slice(0, Math.max(maxCellLength, cell.length)) : cell;
}
