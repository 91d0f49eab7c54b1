/** What a file is by its content, whatever its name says. CSV stands for every delimited text, tabs too. */
export type TableFormat = 'csv' | 'xlsx' | 'xls' | 'ods';
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'macintosh';
export type Delimiter = ',' | ';' | '\t' | '|' | '^';

export interface SheetInfo {
  name: string;
  empty: boolean;
}

/**
 * All that is needed to read a file again alike; plain JSON. What a format does not have is null (the sheet of a CSV, the
 * delimiter of a workbook).
 */
export interface TableLayout {
  format: TableFormat;
  encoding: TextEncoding | null;
  delimiter: Delimiter | null;
  /** Whether `"` encloses cells; false for text whose quotation marks never close. Null for a workbook. */
  quotes: boolean | null;
  /** Name of the sheet that is read. */
  sheet: string | null;
  /** All visible sheets in their order. */
  sheets: SheetInfo[];
  /** Row of the headers as the file's user counts it (from 1); null where the file has none. */
  headerRow: number | null;
  /** First row that may hold data, counted likewise. */
  firstRow: number;
  /** One a column, distinct without regard to case; `Column C` for an empty one. */
  headers: string[];
}

/**
 * A row whose cells do not match the headers. Workbooks leave trailing empty cells out: theirs never has too few. `broken_quotes`:
 * a quotation mark was opened and not closed in its row, so that rows have run together.
 */
export type RowProblem = 'too_few_cells' | 'too_many_cells' | 'broken_quotes';

/** One row of data. Blank rows are left out, and not counted by `number`. */
export interface TableRow {
  /** The data row: 1 is the first. */
  number: number;
  /** As a spreadsheet shows it: every record counts, blank ones and those above the header too; from 1. */
  fileRow: number;
  /** As a person would see them; at least as many as there are headers (short rows are filled up with ''). */
  cells: string[];
  problem: RowProblem | undefined;
}

/** A row as it stands in the file, before anything is known of headers. */
export interface RawRow {
  fileRow: number;
  cells: string[];
}

/** An opened file whose rows can be read, also more than once. */
export interface RowSource {
  /** What a layout says of the file apart from its rows. */
  format: Pick<TableLayout, 'format' | 'encoding' | 'delimiter' | 'quotes' | 'sheet' | 'sheets'>;
  /** For the user, in whole sentences. */
  warnings: string[];
  /** Rows in batches; blank ones may be left out. @param width of the usual row, where known: reading is faster then */
  rows(width?: number): AsyncIterable<RawRow[]>;
  close(): Promise<void>;
}
