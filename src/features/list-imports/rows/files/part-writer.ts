import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListPart } from '../tasks.ts';
import { csvLine } from './csv-text.ts';
import { partFile, partRowsFile } from './part-rows.ts';
import { TextFile } from './text-file.ts';

const unfinished = '.unfinished';

/** A part while it is written. Both its files get their names when they are whole and on the disk, the CSV last. */
export class PartWriter implements AsyncDisposable {
  rows = 0;
  readonly #directory: string;
  readonly #number: number;
  readonly #csv: TextFile;
  readonly #rowNumbers: TextFile;
  #firstRow = 0;
  #lastRow = 0;

  private constructor(directory: string, number: number, csv: TextFile, rowNumbers: TextFile) {
    this.#directory = directory;
    this.#number = number;
    this.#csv = csv;
    this.#rowNumbers = rowNumbers;
  }

  static async start(directory: string, number: number, header: readonly string[]): Promise<PartWriter> {
    await mkdir(directory, { recursive: true });
    const csv = await TextFile.open(join(directory, partFile(number) + unfinished), 'w');
    const rowNumbers = await TextFile.open(join(directory, partRowsFile(number) + unfinished), 'w');
    csv.add(`${csvLine(header)}\n`);
    return new PartWriter(directory, number, csv, rowNumbers);
  }

  /** Adds a row; answers something to wait for when enough has come together to be written. */
  add(row: number, fileRow: number, cells: readonly string[]): Promise<void> | undefined {
    if (this.rows === 0) this.#firstRow = row;
    this.#lastRow = row;
    this.rows += 1;
    this.#rowNumbers.add(`${row},${fileRow}\n`);
    return this.#csv.add(`${csvLine(cells)}\n`) ? this.#flush() : undefined;
  }

  async finish(rejected: number): Promise<ListPart> {
    await this.#rowNumbers.sync();
    await this.#csv.sync();
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

  async #flush(): Promise<void> {
    await this.#csv.flush();
    await this.#rowNumbers.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#csv[Symbol.asyncDispose](), this.#rowNumbers[Symbol.asyncDispose]()]);
  }
}
