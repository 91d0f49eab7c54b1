import { AppError } from '../../kernel/errors.ts';

/** What a file is by its content, whatever its name says. CSV stands for every delimited text, tabs too. */
type TableFormat = 'csv' | 'xlsx' | 'xls' | 'ods';
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
export type Delimiter = ',' | ';' | '\t' | '|';

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
  sheets: { name: string; empty: boolean }[];
  /** Row of the headers as the file's user counts it (from 1); null where the file has none. */
  headerRow: number | null;
  /** First row that may hold data, counted likewise. */
  firstRow: number;
  /** One a column, distinct without regard to case; `Column C` for an empty one. */
  headers: string[];
}

/** A row whose cells do not match the headers. Workbooks leave trailing empty cells out: theirs never has too few. */
export type RowProblem = 'too_few_cells' | 'too_many_cells';

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

export interface TableExamination {
  layout: TableLayout;
  /** Rows of data, blank ones left out. */
  rowCount: number;
  /** The first rows' cells. */
  sampleRows: string[][];
  /** For the user, in whole sentences. */
  warnings: string[];
}

interface ExamineOptions {
  /** Sheet to read; the first that is not empty when left out. */
  sheet?: string | undefined;
  /** How many rows of data to hand out as a sample. */
  sampleRows: number;
  signal?: AbortSignal | undefined;
}

/**
 * Finds out what a file is and how it is to be read, reading all of it. Busy for seconds with a large file: run it in a
 * worker thread.
 * @throws AppError unsupported_file with the reason; validation_error naming `sheet` when there is no such sheet
 */
export async function examineTable(path: string, options: ExamineOptions): Promise<TableExamination> {
  options.signal?.throwIfAborted();
  throw new AppError('unsupported_file', `No format is readable yet: ${path.length} characters of path`);
}

/**
 * The rows of data in their order, in batches of some hundred, in bounded memory. Run it in a worker thread.
 * @throws AppError unsupported_file with the reason when the file can't be read (on) as its layout says
 */
export async function* readRows(
  path: string,
  layout: TableLayout,
  options: { signal?: AbortSignal | undefined } = {},
): AsyncGenerator<TableRow[]> {
  options.signal?.throwIfAborted();
  yield [];
  throw new AppError('unsupported_file', `${layout.format} is not readable yet: ${path.length} characters of path`);
}
