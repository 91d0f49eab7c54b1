import type { RowCounts } from '../tenant-database.ts';

const newline = 10;
const openBracket = 40;
const semicolon = 59;

const insertInto = /^INSERT (?:IGNORE )?INTO `((?:[^`]|``)+)`(?: \(.*?\))? VALUES\s*/s;
const createTable = /^CREATE TABLE `((?:[^`]|``)+)` \($/;

/**
 * Scans a mariadb-dump stream: counts the rows, and separates statements from data. Rows follow `INSERT INTO … VALUES`, one per
 * line (since 10.7) or all in that line; a newline in a value is always escaped, as the program sets its own sql_mode, so lines
 * delimit rows exactly.
 */
export class DumpScanner {
  readonly counts: RowCounts = {};
  /** The start of an unfinished line; not of rows, which are not kept. */
  #unfinished: Uint8Array[] = [];
  /** The table whose rows come line by line; undefined: between statements. */
  #table: string | undefined;
  #atLineStart = true;
  #lastByte = newline;
  /** Inside the body of a routine, trigger or event, which may contain anything. */
  #inBody = false;

  /**
   * @param onStatement called with each complete line that is no data, with its end; returns the replacement
   * @returns the chunk with replaced statements; an unfinished line follows with the next
   */
  push(chunk: Uint8Array, onStatement?: (line: Buffer) => Buffer): Uint8Array[] {
    const out: Uint8Array[] = [];
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    // Rows are most of a dump: no object is created for one.
    let rowsFrom = 0;
    for (let at = 0; at < bytes.length; ) {
      const newlineAt = bytes.indexOf(newline, at);
      const end = newlineAt === -1 ? bytes.length : newlineAt + 1;
      if (this.#table === undefined) {
        this.#unfinished.push(bytes.subarray(at, end));
        if (newlineAt !== -1) {
          const line = this.#unfinished.length === 1 ? bytes.subarray(at, end) : Buffer.concat(this.#unfinished);
          this.#unfinished = [];
          this.#statement(line);
          if (onStatement) out.push(onStatement(line));
        }
        rowsFrom = end;
      } else {
        this.#row(bytes, at, end);
        if (onStatement && (this.#table === undefined || end === bytes.length)) out.push(bytes.subarray(rowsFrom, end));
      }
      at = end;
    }
    return out;
  }

  /** The rest of a last line without an end. */
  end(): Uint8Array {
    return Buffer.concat(this.#unfinished);
  }

  /** A row's line, or the part of it from `at` to `end`. */
  #row(bytes: Buffer, at: number, end: number): void {
    const ended = bytes[end - 1] === newline;
    if (this.#atLineStart && bytes[at] === openBracket) this.#count(1);
    const before = end - (ended ? 2 : 1);
    const last = before >= at ? bytes[before] : this.#lastByte;
    this.#atLineStart = ended;
    this.#lastByte = last ?? newline;
    if (ended && last === semicolon) this.#table = undefined;
  }

  #statement(line: Buffer): void {
    const start = line.toString('latin1', 0, 12);
    if (start.startsWith('DELIMITER')) {
      this.#inBody = line.toString('latin1').trim() !== 'DELIMITER ;';
      return;
    }
    if (this.#inBody) return;
    if (start === 'CREATE TABLE') {
      const name = createTable.exec(line.toString('utf8').trimEnd())?.[1];
      if (name !== undefined) this.counts[nameOf(name)] ??= 0;
    } else if (start.startsWith('INSERT ')) {
      // A list of columns may come between; a table's row has 4,096 at most, of 64 characters.
      const head = insertInto.exec(line.toString('utf8', 0, 2 * 1024 ** 2));
      if (head?.[1] === undefined) throw new Error('The dump holds an INSERT in a form that is not known');
      this.#table = nameOf(head[1]);
      const rest = line.subarray(Buffer.byteLength(head[0]));
      if (rest.length === 0) return;
      this.#count(rowsIn(rest));
      this.#table = undefined;
    }
  }

  #count(rows: number): void {
    const table = this.#table ?? '';
    this.counts[table] = (this.counts[table] ?? 0) + rows;
  }
}

const nameOf = (quoted: string): string => quoted.replaceAll('``', '`');

/** Rows in `(1,'a'),(2,'b');`: brackets that open outside of quotes and other brackets. */
function rowsIn(values: Buffer): number {
  const [quote, backslash, closeBracket] = [39, 92, 41];
  let rows = 0;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < values.length; at += 1) {
    const byte = values[at];
    if (quoted) {
      if (byte === backslash) at += 1;
      else if (byte === quote) quoted = false;
    } else if (byte === quote) quoted = true;
    else if (byte === closeBracket) depth -= 1;
    else if (byte === openBracket) {
      if (depth === 0) rows += 1;
      depth += 1;
    }
  }
  return rows;
}
