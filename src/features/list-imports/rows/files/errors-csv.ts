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
    // Opened by Excel, a file without the mark would be read in an old character set.
    return new ErrorsCsv(await CsvFile.open(path, mode, { header, rowDelimiter: '\r\n', writeBOM: true }));
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

const formula = /^[=+\-@\t\r]/;

/** A cell that a spreadsheet takes for text: one that it would take for a formula begins with an apostrophe. Source: OWASP, CSV Injection. */
function escapeFormula(cell: string): string {
  // fast-csv removes NUL characters, so a formula must not hide behind one.
  const text = cell.replaceAll('\0', '');
  return formula.test(text) ? `'${text}` : text;
}
