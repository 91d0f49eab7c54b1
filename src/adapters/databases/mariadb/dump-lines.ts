const newline = 10;
const openBracket = 40;
const semicolon = 59;
const insert = Buffer.from('INSERT ');
const intoTable = /^INSERT (?:IGNORE )?INTO `((?:[^`]|``)+)`/;
const longestHead = 400;

/**
 * Follows a mariadb-dump stream by its lines. A newline in a value is always escaped, as the program sets its own sql_mode, so
 * a line with rows begins with `INSERT` or with a bracket; it is passed on unread. Measures the statements with rows.
 */
export class DumpLines {
  /** The longest statement with rows so far, in bytes, and its table. */
  longest = { bytes: 0, table: '' };
  /** An unfinished line without rows, or one whose kind is not known yet. */
  #line: Buffer | undefined;
  /** Inside a line with rows. */
  #inRows = false;
  /** Bytes of the unfinished statement with rows, and its beginning, a character a byte. */
  #bytes = 0;
  #head = '';
  #lastByte = newline;

  /**
   * @param replace called with each complete line without rows, with its end
   * @returns the chunk with the replaced lines; an unfinished line follows with the next
   */
  push(chunk: Uint8Array, replace: (line: Buffer) => Buffer = (line) => line): Uint8Array[] {
    const out: Uint8Array[] = [];
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    // Rows are most of a dump: no object is created for one.
    let passedOn = 0;
    for (let at = 0; at < bytes.length; ) {
      const newlineAt = bytes.indexOf(newline, at);
      const end = newlineAt === -1 ? bytes.length : newlineAt + 1;
      if (this.#inRows || (!this.#line && beginsRows(bytes, at, end))) {
        this.#rows(bytes, at, end);
      } else {
        if (at > passedOn) out.push(bytes.subarray(passedOn, at));
        passedOn = end;
        const part = bytes.subarray(at, end);
        const line = this.#line ? Buffer.concat([this.#line, part]) : part;
        this.#line = undefined;
        if (beginsRows(line, 0, line.length)) {
          this.#rows(line, 0, line.length);
          out.push(line);
        } else if (newlineAt === -1) this.#line = line;
        else out.push(replace(line));
      }
      at = end;
    }
    if (passedOn < bytes.length) out.push(bytes.subarray(passedOn));
    return out;
  }

  /** The rest of a last line without an end. */
  end(): Uint8Array {
    return this.#line ?? Buffer.alloc(0);
  }

  /** A line with rows, or the part of it from `at` to `end`. */
  #rows(bytes: Buffer, at: number, end: number): void {
    if (this.#bytes === 0) this.#head = '';
    if (this.#head.length < longestHead) this.#head += bytes.toString('latin1', at, Math.min(end, at + longestHead));
    this.#bytes += end - at;
    const ended = bytes[end - 1] === newline;
    const before = end - (ended ? 2 : 1);
    const last = before >= at ? bytes[before] : this.#lastByte;
    this.#inRows = !ended;
    this.#lastByte = last ?? newline;
    if (!ended || last !== semicolon) return;
    if (this.#bytes > this.longest.bytes) this.longest = { bytes: this.#bytes, table: tableIn(this.#head) };
    this.#bytes = 0;
  }
}

const beginsRows = (bytes: Buffer, at: number, end: number): boolean =>
  bytes[at] === openBracket ||
  (end - at >= insert.length && bytes.compare(insert, 0, insert.length, at, at + insert.length) === 0);

const tableIn = (head: string): string =>
  (intoTable.exec(Buffer.from(head, 'latin1').toString())?.[1] ?? '').replaceAll('``', '`');
