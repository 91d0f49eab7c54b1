import { columnName } from '../headers/shape.ts';
import { limits, refused } from '../limits.ts';
import type { RawRow } from '../table.ts';
import { unescaped } from './shared-strings.ts';
import type { CellFormats } from './styles.ts';
import type { TextStore } from './text-store.ts';
import { parseXml, type XmlHandler } from './xml.ts';

interface CellContext {
  texts: TextStore | undefined;
  formats: CellFormats;
}

/** The non-empty rows of a sheet, in batches, as the part streams by. */
export async function* sheetRows(
  part: string,
  bytes: AsyncIterable<Buffer>,
  context: CellContext,
): AsyncGenerator<RawRow[]> {
  const reader = new SheetReader(context);
  for await (const _ of parseXml(part, bytes, reader)) {
    if (reader.rows.length > 0) yield reader.rows.splice(0);
    // What follows the cells (rules, links, drawings) is ignored.
    if (reader.ended) return;
  }
}

class SheetReader implements XmlHandler {
  readonly rows: RawRow[] = [];
  ended = false;
  readonly #context: CellContext;
  #fileRow = 0;
  #cells: string[] = [];
  #characters = 0;
  /** Column of the cell being read, from 0. */
  #column = -1;
  #type = 'n';
  #style = 0;
  #value = '';
  #inValue = false;
  #inline = false;
  #phonetic = 0;

  constructor(context: CellContext) {
    this.#context = context;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    switch (name) {
      case 'c':
        this.#column = attributes.r === undefined ? this.#column + 1 : columnOf(attributes.r);
        this.#type = attributes.t ?? 'n';
        this.#style = attributes.s === undefined ? 0 : Number(attributes.s);
        this.#value = '';
        break;
      case 'v':
        this.#inValue = true;
        break;
      case 't':
        this.#inValue = this.#inline && this.#phonetic === 0;
        break;
      case 'is':
        this.#inline = true;
        break;
      case 'rPh':
        this.#phonetic += 1;
        break;
      case 'row':
        this.#fileRow = Math.max(this.#fileRow + 1, Math.trunc(Number(attributes.r ?? 0)) || 0);
        this.#cells = [];
        this.#characters = 0;
        this.#column = -1;
        break;
    }
  }

  text(text: string): void {
    if (!this.#inValue) return;
    this.#value += text;
    if (this.#value.length > limits.cell) throw this.#tooLong(this.#value.length);
  }

  close(name: string): void {
    switch (name) {
      case 'v':
      case 't':
        this.#inValue = false;
        break;
      case 'is':
        this.#inline = false;
        break;
      case 'rPh':
        this.#phonetic -= 1;
        break;
      case 'c':
        if (this.#value !== '') this.#put(this.#text());
        break;
      case 'row':
        if (this.#cells.length > 0) this.rows.push({ fileRow: this.#fileRow, cells: this.#cells });
        break;
      case 'sheetData':
        this.ended = true;
        break;
    }
  }

  #put(text: string): void {
    if (text === '') return;
    if (this.#column >= limits.columns)
      throw refused(
        `Row ${this.#fileRow} has something in column ${columnName(this.#column)}; at most ${limits.columns} columns are read`,
      );
    this.#characters += text.length;
    if (this.#characters > limits.row) throw refused(`Row ${this.#fileRow} is longer than ${limits.row} characters`);
    while (this.#cells.length < this.#column) this.#cells.push('');
    this.#cells[this.#column] = text;
  }

  #text(): string {
    const value = this.#value;
    switch (this.#type) {
      case 's': {
        const text = this.#context.texts?.get(Number(value));
        if (text === undefined) throw refused(`The workbook is damaged: a cell in row ${this.#fileRow} has no text`);
        return text;
      }
      case 'b':
        return value === '1' || value === 'true' ? 'TRUE' : 'FALSE';
      case 'd':
        return value.replace(/T00:00(:00(\.0+)?)?Z?$/, '').replace('T', ' ');
      case 'n': {
        const number = Number(value);
        return Number.isFinite(number) ? this.#context.formats(this.#style)(number) : value;
      }
      default:
        return unescaped(value);
    }
  }

  #tooLong(length: number): Error {
    return refused(`A cell in row ${this.#fileRow} has ${length} characters or more; at most ${limits.cell} are read`);
  }
}

/** The column of a cell's address, from 0: `C7` is 2. */
function columnOf(address: string): number {
  let column = 0;
  for (let at = 0; at < address.length; at++) {
    const letter = address.charCodeAt(at) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
    if (column > 16_384) break;
  }
  return column - 1;
}
