import { csvLine, escapeFormula } from './csv-text.ts';
import { TextFile } from './text-file.ts';

/** Opened by Excel, a file without the mark would be read in an old character set. */
const byteOrderMark = '\ufeff';

/** The columns before a rejected row's own cells. */
export const errorColumns = ['row', 'file_row', 'reasons'] as const;

/**
 * The rejected rows of a list as CSV: row number, reasons and original cells, so that users can correct and upload it again. No cell
 * is a formula to a spreadsheet.
 */
export class ErrorsCsv implements AsyncDisposable {
  readonly #file: TextFile;
  written = 0;

  private constructor(file: TextFile) {
    this.#file = file;
  }

  /** Creates a file, or continues an existing one. */
  static async open(path: string, headers: readonly string[], mode: 'begin' | 'append'): Promise<ErrorsCsv> {
    const file = await TextFile.open(path, mode === 'begin' ? 'w' : 'a');
    if ((await file.size()) === 0) file.add(byteOrderMark + line([...errorColumns, ...headers]));
    return new ErrorsCsv(file);
  }

  async add(
    row: { number: number; fileRow: number; cells: readonly string[] },
    reasons: readonly string[],
  ): Promise<void> {
    this.written += 1;
    const full = this.#file.add(line([String(row.number), String(row.fileRow), reasons.join('; '), ...row.cells]));
    if (full) await this.#file.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.flush().finally(() => this.#file[Symbol.asyncDispose]());
  }
}

function line(cells: readonly string[]): string {
  return `${csvLine(cells.map(escapeFormula))}\r\n`;
}
