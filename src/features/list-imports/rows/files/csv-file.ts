import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { format } from 'fast-csv';
import { open } from '../../../../lib/files/changes.ts';

interface CsvOptions {
  rowDelimiter: '\n' | '\r\n';
  writeBOM?: boolean;
  /** First row of a new file. */
  header?: readonly string[];
}

/** Writes a CSV file (RFC 4180) row by row. */
export class CsvFile implements AsyncDisposable {
  readonly #rows;
  readonly #file;
  readonly #written: Promise<void>;
  #empty = true;

  private constructor(handle: FileHandle, { header, ...options }: CsvOptions) {
    this.#rows = format({ ...options, includeEndRowDelimiter: true });
    this.#file = handle.createWriteStream({ flush: true });
    this.#rows.pipe(this.#file);
    this.#written = finished(this.#file);
    this.#written.catch(() => {}); // `add` and `finish` throw it
    if (header) this.add(header);
  }

  /** @param mode 'begin' truncates */
  static async open(path: string, mode: 'begin' | 'append', options: CsvOptions): Promise<CsvFile> {
    const handle = await open(path, mode === 'begin' ? 'w' : 'a', 0o600);
    const { size } = await handle.stat();
    return new CsvFile(handle, size === 0 ? options : { rowDelimiter: options.rowDelimiter });
  }

  /** Adds a row; returns something to wait for while the disk is slower. */
  add(cells: readonly string[]): Promise<unknown> | undefined {
    this.#empty = false;
    return this.#rows.write(cells) ? undefined : Promise.race([once(this.#rows, 'drain'), this.#written]);
  }

  /** Returns when all rows are on the disk. */
  async finish(): Promise<void> {
    // Without rows the formatter would end the file with an empty line.
    if (this.#empty) this.#rows.unpipe(this.#file);
    (this.#empty ? this.#file : this.#rows).end();
    await this.#written;
  }

  /** Finishes the file, unless writing has failed: `add` or `finish` have thrown that error. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#file.errored) await this.finish();
  }
}
