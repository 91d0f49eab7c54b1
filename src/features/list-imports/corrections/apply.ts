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
  /** Its place among all corrections. */
  order: number;
  newValue(cell: string): string;
}

/** The changes of one column, each list in their order. So a cell meets those of its row and value alone. */
interface ColumnChanges {
  byRow: Map<number, Change[]>;
  byValue: Map<string, Change[]>;
  everywhere: Change[];
}

/** @returns what corrects a row; undefined where there is nothing to correct */
function corrector(
  headers: readonly string[],
  corrections: readonly Correction[],
): ((row: TableRow) => CorrectedRow) | undefined {
  const columns = new Map<number, ColumnChanges>();
  for (const [order, correction] of corrections.entries()) {
    const at = headers.indexOf(correction.column);
    if (at < 0) continue;
    const column: ColumnChanges = columns.get(at) ?? { byRow: new Map(), byValue: new Map(), everywhere: [] };
    columns.set(at, column);
    if ('row' in correction) append(column.byRow, correction.row, { order, newValue: () => correction.value });
    else if (correction.match === 'cell')
      append(column.byValue, correction.find.trim(), { order, newValue: () => correction.replace });
    else column.everywhere.push({ order, newValue: replacing(correction) });
  }
  if (columns.size === 0) return undefined;
  return (row) => {
    const cells = [...row.cells];
    for (const [at, column] of columns) cells[at] = corrected(cells[at] ?? '', row.number, column);
    return cells.every((cell, at) => cell === (row.cells[at] ?? ''))
      ? row
      : { ...row, cells, uploadedCells: row.cells };
  };
}

function append<Key>(map: Map<Key, Change[]>, key: Key, change: Change): void {
  const changes = map.get(key) ?? [];
  changes.push(change);
  map.set(key, changes);
}

function corrected(uploaded: string, row: number, { byRow, byValue, everywhere }: ColumnChanges): string {
  let cell = uploaded;
  let order = -1;
  for (;;) {
    const next = [byRow.get(row), byValue.get(cell.trim()), everywhere]
      .map((changes) => changes && firstAfter(changes, order))
      .reduce((one, other) => (one && other && one.order < other.order ? one : (other ?? one)));
    if (!next) return cell;
    cell = next.newValue(cell);
    order = next.order;
  }
}

/** The first of these changes after a place in the order of all. */
function firstAfter(changes: readonly Change[], order: number): Change | undefined {
  let [from, to] = [0, changes.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((changes[middle]?.order ?? 0) > order) to = middle;
    else from = middle + 1;
  }
  return changes[from];
}

function replacing({ find, replace }: Extract<Correction, { find: string }>): (cell: string) => string {
  // A text that is replaced by a longer one again and again must not grow without limit.
  return (cell) =>
    cell.includes(find) ? cell.replaceAll(find, () => replace).slice(0, Math.max(maxCellLength, cell.length)) : cell;
}
