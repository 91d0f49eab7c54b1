import { escapeFormula, spreadsheetCsv } from '../../../../lib/files/csv.ts';
import { CsvFile } from './csv-file.ts';

/** The columns before a rejected row's own cells. */
export const errorColumns = ['row', 'file_row', 'reasons'] as const;

/**
 * The rejected rows of a list as CSV: row number, reasons and original cells, so that users can correct and upload it again. No cell
 * is a formula to a spreadsheet.
 */
export class ErrorsCsv implements AsyncDisposable {
  readonly #file: CsvFile;
  written = 0;

  private constructor(file: CsvFile) {
    this.#file = file;
  }

  /** Creates a file, or continues an existing one. */
  static async open(path: string, headers: readonly string[], mode: 'begin' | 'append'): Promise<ErrorsCsv> {
    const header = [...errorColumns, ...headers].map(escapeFormula);
    return new ErrorsCsv(await CsvFile.open(path, mode, { header, ...spreadsheetCsv }));
  }

  async add(
    row: { number: number; fileRow: number; cells: readonly string[] },
    reasons: readonly string[],
  ): Promise<void> {
    this.written += 1;
    const cells = [String(row.number), String(row.fileRow), reasons.join('; '), ...row.cells];
    await this.#file.add(cells.map(escapeFormula));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file[Symbol.asyncDispose]();
  }
}
