import type { RawRow, RowProblem, TableLayout, TableRow } from './table.ts';

/** Rows of data out of raw ones: those above the table and blank ones left out, short ones filled up. */
export class TableRows {
  readonly #columns: number;
  readonly #firstRow: number;
  readonly #even: boolean;
  #number = 0;

  constructor(layout: TableLayout) {
    this.#columns = layout.headers.length;
    this.#firstRow = layout.firstRow;
    this.#even = layout.format === 'csv';
  }

  /** Rows of data so far. */
  get count(): number {
    return this.#number;
  }

  take(batch: readonly RawRow[]): TableRow[] {
    const rows: TableRow[] = [];
    for (const { fileRow, cells } of batch) {
      if (fileRow < this.#firstRow || isBlank(cells)) continue;
      this.#number += 1;
      const problem = cells.length === this.#columns ? undefined : this.#problemOf(cells);
      while (cells.length < this.#columns) cells.push('');
      rows.push({ number: this.#number, fileRow, cells, problem });
    }
    return rows;
  }

  #problemOf(cells: readonly string[]): RowProblem | undefined {
    if (cells.length < this.#columns) return this.#even ? 'too_few_cells' : undefined;
    for (let column = this.#columns; column < cells.length; column++)
      if (!isBlankCell(cells[column] ?? '')) return 'too_many_cells';
    return undefined;
  }
}

/** Whether no cell has more than white space. */
export function isBlank(cells: readonly string[]): boolean {
  for (const cell of cells) if (!isBlankCell(cell)) return false;
  return true;
}

function isBlankCell(cell: string): boolean {
  return cell === '' || cell.trim() === '';
}
