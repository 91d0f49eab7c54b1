import type { RawRow, RowProblem, TableLayout, TableRow } from './table.ts';

/** Data rows from raw ones: without those above the table and blank ones; short ones are padded. */
export class TableRows {
  readonly #columns: number;
  readonly #firstRow: number;
  readonly #even: boolean;
  /** For a text with quoted cells. */
  readonly #delimiter: string | null;
  #number = 0;

  constructor(layout: TableLayout) {
    this.#columns = layout.headers.length;
    this.#firstRow = layout.firstRow;
    this.#even = layout.format === 'csv';
    this.#delimiter = layout.quotes ? layout.delimiter : null;
  }

  /** Data rows so far. */
  get count(): number {
    return this.#number;
  }

  take(batch: readonly RawRow[]): TableRow[] {
    const rows: TableRow[] = [];
    for (const { fileRow, cells } of batch) {
      if (fileRow < this.#firstRow || isBlank(cells)) continue;
      this.#number += 1;
      const broken = this.#delimiter !== null && this.#isBroken(cells, this.#delimiter);
      const problem = broken ? 'broken_quotes' : cells.length === this.#columns ? undefined : this.#problemOf(cells);
      while (cells.length < this.#columns) cells.push('');
      rows.push({ number: this.#number, fileRow, cells, problem });
    }
    return rows;
  }

  /**
   * Whether a cell starts with a quotation mark (removed if it closes properly), continues on another line without an end, or
   * contains about as many delimiters as a row.
   */
  #isBroken(cells: readonly string[], delimiter: string): boolean {
    for (const cell of cells) {
      if (cell.charCodeAt(0) !== 34 || !cell.includes('\n')) continue;
      if (!cell.endsWith('"') || cell.split(delimiter).length > Math.max(1, this.#columns / 2)) return true;
    }
    return false;
  }

  #problemOf(cells: readonly string[]): RowProblem | undefined {
    if (cells.length < this.#columns) return this.#even ? 'too_few_cells' : undefined;
    for (let column = this.#columns; column < cells.length; column++)
      if (!isBlankCell(cells[column] ?? '')) return 'too_many_cells';
    return undefined;
  }
}

/** Whether all cells are blank. */
export function isBlank(cells: readonly string[]): boolean {
  for (const cell of cells) if (!isBlankCell(cell)) return false;
  return true;
}

function isBlankCell(cell: string): boolean {
  return cell === '' || cell.trim() === '';
}
