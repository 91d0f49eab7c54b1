import { invalid } from '../../lib/errors.ts';
import { contentKind, notATable } from './content-kind.ts';
import { UnclosedQuote } from './csv/csv-parser.ts';
import { csvSource, examineCsv } from './csv/csv-source.ts';
import { shapeOf } from './headers/shape.ts';
import { readInMemory } from './legacy/in-memory-workbook.ts';
import { refused } from './limits.ts';
import type { RawRow, RowSource, SheetInfo, TableLayout, TableRow } from './table.ts';
import { isBlank, TableRows } from './table-rows.ts';
import { xlsxSource } from './xlsx/xlsx-source.ts';
import { ZipParts } from './zip.ts';

/**
 * A ZIP workbook, by its parts.
 * @param wanted sheet to read; undefined: the first that is not empty
 * @param known sheets, from a layout
 * @throws AppError unsupported_file for another kind of archive
 */
async function openZipped(path: string, wanted: string | undefined, known?: SheetInfo[]): Promise<RowSource> {
  const zip = await ZipParts.open(path);
  try {
    if (zip.has('xl/workbook.bin')) throw notATable('a binary workbook (.xlsb)');
    if (zip.has('word/document.xml')) throw notATable('a Word document');
    if (zip.has('ppt/presentation.xml')) throw notATable('a presentation');
    if (zip.has('index/document.iwa')) throw notATable('a Numbers or Pages document');
    if (zip.has('content.xml')) return await readInMemory(path, 'ods', wanted, zip);
    if (zip.has('[content_types].xml') || zip.has('xl/workbook.xml')) return await xlsxSource(zip, wanted, known);
    throw notATable('a ZIP archive');
  } catch (error) {
    zip.close();
    throw error;
  }
}

export type { TableLayout, TableRow } from './table.ts';

export interface TableExamination {
  layout: TableLayout;
  /** Number of data rows, without blank ones. */
  rowCount: number;
  /** The first rows' cells. */
  sampleRows: string[][];
  /** The file's first raw rows, those above the data too, truncated: they show where the headers are. */
  firstRows: RawRow[];
  /** For the user, in complete sentences. */
  warnings: string[];
}

interface ExamineOptions {
  /** Sheet to read; default: the first that is not empty. */
  sheet?: string | undefined;
  /** Header row as users count it, null for none; default: detected by the values. */
  headerRow?: number | null | undefined;
  /** How many data rows to return as a sample. */
  sampleRows: number;
  signal?: AbortSignal | undefined;
}

/** The headers are detected in this many first rows. */
const maxInspectedRows = 200;
/** This many of them are shown. */
const firstRowsShown = 15;
const firstCellsShown = 12;
const firstCharactersShown = 60;

/**
 * Detects a file's format and layout, reading all of it. Takes seconds for a large file: run it in a worker thread.
 * @throws AppError unsupported_file with the reason; validation_error naming `sheet` or `header_row` when there is no such one
 */
export async function examineTable(path: string, options: ExamineOptions): Promise<TableExamination> {
  const kind = await contentKind(path);
  if (kind !== 'text') {
    const workbook =
      kind === 'zip' ? await openZipped(path, options.sheet) : await readInMemory(path, 'xls', options.sheet);
    return (await closing(workbook, (source) => examine(source, options))).examination;
  }
  if (options.sheet !== undefined) throw invalid('sheet', 'a delimited text has no sheets');
  const text = await examineCsv(path, options.signal);
  try {
    return (await examine(text.quoted, options)).examination;
  } catch (error) {
    if (!(error instanceof UnclosedQuote)) throw error;
    const { examination, torn } = await examine(text.plain(), options);
    // Rows that split without quoting show that quotation marks do quote cells, and that one is missing.
    if (torn > 1 + examination.rowCount / 100) throw error;
    examination.warnings.push(`${error.message}: quotation marks are taken as ordinary characters in the whole file.`);
    return examination;
  }
}

/**
 * The data rows in order, in batches of some hundred, in bounded memory. Run it in a worker thread.
 * @throws AppError unsupported_file with the reason when the file can't be read as its layout says
 */
export async function* readRows(
  path: string,
  layout: TableLayout,
  options: { signal?: AbortSignal | undefined } = {},
): AsyncGenerator<TableRow[]> {
  const source = await reopen(path, layout, options.signal);
  try {
    const table = new TableRows(layout);
    for await (const batch of source.rows(layout.headers.length)) {
      options.signal?.throwIfAborted();
      const rows = table.take(batch);
      if (rows.length > 0) yield rows;
    }
  } finally {
    await source.close();
  }
}

async function reopen(path: string, layout: TableLayout, signal: AbortSignal | undefined): Promise<RowSource> {
  const { format, encoding, delimiter, quotes, sheet, sheets } = layout;
  switch (format) {
    case 'csv':
      if (encoding === null || delimiter === null || quotes === null) throw new Error('A layout lacks what a text has');
      return csvSource(path, { encoding, delimiter, quotes }, signal);
    case 'xlsx':
    case 'ods':
      return await openZipped(path, sheet ?? undefined, sheets);
    case 'xls':
      return await readInMemory(path, format, sheet ?? undefined);
    default:
      return format satisfies never;
  }
}

async function closing<Result>(source: RowSource, use: (source: RowSource) => Promise<Result>): Promise<Result> {
  try {
    return await use(source);
  } finally {
    await source.close();
  }
}

interface Examined {
  examination: TableExamination;
  /** Rows that look split, because quotation marks count as ordinary characters. */
  torn: number;
}

async function examine(source: RowSource, options: ExamineOptions): Promise<Examined> {
  const head = await firstRows(source);
  if (head.length === 0) throw refused('The file has no rows');
  const { warnings, ...shape } = shapeOf(head, source.format.format === 'csv', options.headerRow);
  const layout: TableLayout = { ...source.format, ...shape };
  const table = new TableRows(layout);
  const sampleRows: string[][] = [];
  let ragged = 0;
  let broken = 0;
  let firstBroken = 0;
  let torn = 0;
  for await (const batch of source.rows(layout.headers.length)) {
    options.signal?.throwIfAborted();
    for (const { cells, problem, fileRow } of table.take(batch)) {
      if (sampleRows.length < options.sampleRows) sampleRows.push(cells.slice(0, layout.headers.length));
      if (problem === 'broken_quotes') {
        broken += 1;
        firstBroken ||= fileRow;
      } else if (problem) ragged += 1;
      if (layout.quotes === false && (problem || cells.some((cell) => cell.startsWith('"')))) torn += 1;
    }
  }
  const all = [...source.warnings, ...warnings];
  if (broken > 0)
    all.push(
      `${broken} row(s) have a quotation mark that is not closed, and ran together with others: see row ${firstBroken}.`,
    );
  if (ragged > 0) all.push(`${ragged} row(s) have more or fewer cells than there are headers.`);
  const beginning = head.slice(0, firstRowsShown).map(readStart);
  return {
    examination: { layout, rowCount: table.count, sampleRows, firstRows: beginning, warnings: all },
    torn,
  };
}

const readStart = ({ fileRow, cells }: RawRow): RawRow => ({
  fileRow,
  cells: cells.slice(0, firstCellsShown).map((cell) => cell.slice(0, firstCharactersShown)),
});

async function firstRows(source: RowSource): Promise<RawRow[]> {
  const head: RawRow[] = [];
  for await (const batch of source.rows()) {
    for (const row of batch) if (!isBlank(row.cells)) head.push(row);
    if (head.length >= maxInspectedRows) break;
  }
  return head.slice(0, maxInspectedRows);
}
