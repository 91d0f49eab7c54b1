import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListPart } from '../tasks.ts';
import { CsvFile } from './csv-file.ts';
import { partFile, partRowsFile } from './part-rows.ts';

const unfinished = '.unfinished';

/** A part while it is written. Both its files get their names when they are whole and on the disk, the list last. */
export class PartWriter implements AsyncDisposable {
  rows = 0;
  readonly #directory: string;
  readonly #number: number;
  readonly #list: CsvFile;
  readonly #rowNumbers: CsvFile;
  #firstRow = 0;
  #lastRow = 0;

  private constructor(directory: string, number: number, list: CsvFile, rowNumbers: CsvFile) {
    this.#directory = directory;
    this.#number = number;
    this.#list = list;
    this.#rowNumbers = rowNumbers;
  }

  static async start(directory: string, number: number, header: readonly string[]): Promise<PartWriter> {
    await mkdir(directory, { recursive: true });
    const begin = (file: string, options?: { header: readonly string[] }): Promise<CsvFile> =>
      CsvFile.open(join(directory, file + unfinished), 'begin', { rowDelimiter: '\n', ...options });
    const list = await begin(partFile(number), { header });
    return new PartWriter(directory, number, list, await begin(partRowsFile(number)));
  }

  /** Adds a row; returns something to wait for while the disk is slower. */
  add(row: number, fileRow: number, cells: readonly string[]): Promise<unknown> | undefined {
    if (this.rows === 0) this.#firstRow = row;
    this.#lastRow = row;
    this.rows += 1;
    const behind = [this.#list.add(cells), this.#rowNumbers.add([String(row), String(fileRow)])];
    return behind.some((wait) => wait) ? Promise.all(behind) : undefined;
  }

  async finish(rejected: number): Promise<ListPart> {
    await Promise.all([this.#list.finish(), this.#rowNumbers.finish()]);
    for (const file of [partRowsFile(this.#number), partFile(this.#number)]) {
      await rename(join(this.#directory, file + unfinished), join(this.#directory, file));
    }
    return {
      number: this.#number,
      file: partFile(this.#number),
      rows: this.rows,
      firstRow: this.#firstRow,
      lastRow: this.#lastRow,
      rejected,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#list[Symbol.asyncDispose](), this.#rowNumbers[Symbol.asyncDispose]()]);
  }
}
