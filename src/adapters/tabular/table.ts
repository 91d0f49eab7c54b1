/** A file's format, by its content, not its name. CSV means any delimited text, also with tabs. */
export type TableFormat = 'csv' | 'xlsx' | 'xls' | 'ods';
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'macintosh';
export type Delimiter = ',' | ';' | '\t' | '|' | '^';

export interface SheetInfo {
  name: string;
  empty: boolean;
}

/**
 * All that is needed to read a file again in the same way; plain JSON. Null for what a format does not have (the sheet of a
 * CSV, the delimiter of a workbook).
 */
export interface TableLayout {
  format: TableFormat;
  encoding: TextEncoding | null;
  delimiter: Delimiter | null;
  /** Whether `"` quotes cells; false for text whose quotation marks never close. Null for a workbook. */
  quotes: boolean | null;
  /** Name of the sheet to read. */
  sheet: string | null;
  /** All visible sheets in order. */
  sheets: SheetInfo[];
  /** Header row as users count it (from 1); null if the file has none. */
  headerRow: number | null;
  /** First row that may be data, counted likewise. */
  firstRow: number;
  /** One per column, unique without regard to case; `Column C` for an empty one. */
  headers: string[];
}

/**
 * A row whose cells do not match the headers. Workbooks omit trailing empty cells: theirs never has too few. `broken_quotes`: a
 * quotation mark was opened and not closed in its row, so that rows were merged.
 */
export type RowProblem = 'too_few_cells' | 'too_many_cells' | 'broken_quotes';

/** One data row. Blank rows are skipped, and not counted by `number`. */
export interface TableRow {
  /** The data row: 1 is the first. */
  number: number;
  /** As a spreadsheet shows it: every record counts, blank ones and those above the header too; from 1. */
  fileRow: number;
  /** As users see them; at least as many as headers (short rows are padded with ''). */
  cells: string[];
  problem: RowProblem | undefined;
}

/** A raw row of the file, before the headers are known. */
export interface RawRow {
  fileRow: number;
  cells: string[];
}

/** An opened file whose rows can be read repeatedly. */
export interface RowSource {
  /** The file's part of a layout, apart from its rows. */
  format: Pick<TableLayout, 'format' | 'encoding' | 'delimiter' | 'quotes' | 'sheet' | 'sheets'>;
  /** For the user, in complete sentences. */
  warnings: string[];
  /** Rows in batches; blank ones may be missing. @param width of the usual row, if known: reading is faster then */
  rows(width?: number): AsyncIterable<RawRow[]>;
  close(): Promise<void>;
}
