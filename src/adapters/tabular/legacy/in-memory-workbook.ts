import { readFile, stat } from 'node:fs/promises';
import type { CellObject, WorkBook, WorkSheet } from 'xlsx';
import { messageOf } from '../../../lib/errors.ts';
import { notATable } from '../content-kind.ts';
import { columnName } from '../headers/shape.ts';
import { limits, refused } from '../limits.ts';
import type { RawRow, RowSource, SheetInfo } from '../table.ts';
import type { ZipParts } from '../zip.ts';
import { chooseSheet, sheetWarnings } from './choose-sheet.ts';
import { general, isDateFormat, type NumberFormat, numberFormats } from './number-format.ts';

type Library = typeof import('xlsx');

const rowsInBatch = 200;
const protectedByPassword = 'The workbook is protected by a password: save it without one';

/**
 * An .xls or .ods, read completely into memory by SheetJS: their formats have no maintained streaming reader. So it runs in
 * a thread with a bounded heap.
 * @param zip an .ods's archive
 */
export async function readInMemory(
  path: string,
  format: 'xls' | 'ods',
  wanted: string | undefined,
  zip?: ZipParts,
): Promise<RowSource> {
  if (zip) {
    await checkContent(zip);
    zip.close();
  }
  const { size } = await stat(path);
  if (size > limits.wholeWorkbook) throw tooLarge(format);
  const library = await import('xlsx');
  const file = await readFile(path);
  if (!zip) {
    checkCompound(library, file);
    // Before Unicode (Excel 95) texts are in their time's code page.
    library.set_cptable(await import('xlsx/dist/cpexcel.full.mjs'));
  }
  const book = parse(library, file, format);
  const date1904 = book.Workbook?.WBProps?.date1904 === true;
  const visible = book.SheetNames.filter((_, at) => !book.Workbook?.Sheets?.[at]?.Hidden);
  const sheets: SheetInfo[] = visible.map((name) => ({ name, empty: isEmpty(book.Sheets[name]) }));
  const sheet = chooseSheet(sheets, wanted);
  const formatOf = numberFormats(library, date1904);
  return {
    format: { format, encoding: null, delimiter: null, quotes: null, sheet, sheets },
    warnings: sheetWarnings(sheets, sheet),
    rows: () => rowsOf(book.Sheets[sheet], formatOf),
    close: async () => undefined,
  };
}

function tooLarge(format: string): Error {
  return refused(
    `An .${format} larger than ${limits.wholeWorkbook / 1024 ** 2} MB is not read: save the list as .xlsx or CSV`,
  );
}

/** The unpacked size of an .ods is checked before the library, which would hold all of it, reads the file. */
async function checkContent(zip: ZipParts): Promise<void> {
  if (!zip.has('mimetype')) throw notATable('a ZIP archive');
  let mimetype = '';
  for await (const chunk of zip.read('mimetype', 1_000)) mimetype += chunk.toString('latin1');
  if (!mimetype.includes('opendocument.spreadsheet')) throw notATable('a document of another office program');
  let head = '';
  for (const part of ['content.xml', 'styles.xml', 'meta.xml', 'META-INF/manifest.xml']) {
    if (!zip.has(part)) continue;
    head = '';
    for await (const chunk of zip.read(part, limits.wholeWorkbook))
      if (head.length < 65_536) head += chunk.toString('latin1');
    if (/<!DOCTYPE|<!ENTITY/i.test(head)) throw refused(`The workbook is refused: ${part} declares a document type`);
  }
  if (head.includes('encryption-data')) throw refused(protectedByPassword);
}

/** An .xls is a file system of its own, and so are other documents. */
function checkCompound(library: Library, file: Buffer): void {
  const { CFB } = library;
  let names: string[];
  try {
    names = CFB.read(file, { type: 'buffer' }).FullPaths.map((path: string) =>
      path.replace(/^.*\/(?=.)/, '').toLowerCase(),
    );
  } catch (error) {
    throw refused(`The workbook is damaged: ${messageOf(error)}`, error);
  }
  if (names.includes('encryptedpackage')) throw refused(protectedByPassword);
  if (names.includes('worddocument')) throw notATable('a Word document');
  if (names.includes('powerpoint document')) throw notATable('a presentation');
  if (!names.includes('workbook') && !names.includes('book')) throw notATable('an Office document without a workbook');
}

function parse(library: Library, file: Buffer, format: 'xls' | 'ods'): WorkBook {
  try {
    return library.read(file, {
      type: 'buffer',
      dense: true,
      cellNF: true,
      cellFormula: false,
      cellHTML: false,
      // An .ods contains each cell's shown text; for an .xls it is computed here.
      cellText: format === 'ods',
      cellStyles: false,
      UTC: true,
    });
  } catch (error) {
    const message = messageOf(error);
    if (/password|encrypt/i.test(message)) throw refused(protectedByPassword, error);
    throw refused(`The workbook is damaged: ${message}`, error);
  }
}

type DenseRow = (CellObject | undefined)[] | undefined;

function dataOf(sheet: WorkSheet | undefined): DenseRow[] {
  return (sheet?.['!data'] as DenseRow[] | undefined) ?? [];
}

function isEmpty(sheet: WorkSheet | undefined): boolean {
  return !dataOf(sheet).some((row) => row?.some((cell) => cell?.v !== undefined && cell.v !== ''));
}

async function* rowsOf(sheet: WorkSheet | undefined, formatOf: FormatOf): AsyncGenerator<RawRow[]> {
  let batch: RawRow[] = [];
  let fileRow = 0;
  for (const row of dataOf(sheet)) {
    fileRow += 1;
    if (!row) continue;
    const cells = Array.from(row, (cell) => textOf(cell, formatOf));
    cells.length = cells.findLastIndex((cell) => cell !== '') + 1;
    if (cells.length === 0) continue;
    checkBounds(cells, fileRow);
    batch.push({ fileRow, cells });
    if (batch.length < rowsInBatch) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

function checkBounds(cells: readonly string[], fileRow: number): void {
  if (cells.length > limits.columns)
    throw refused(
      `Row ${fileRow} has something in column ${columnName(cells.length - 1)}; at most ${limits.columns} columns are read`,
    );
  const long = cells.find((cell) => cell.length > limits.cell);
  if (long) throw refused(`A cell in row ${fileRow} has ${long.length} characters; at most ${limits.cell} are read`);
}

type FormatOf = (code: string) => NumberFormat;

/** A cell as users see it. */
function textOf(cell: CellObject | undefined, formatOf: FormatOf): string {
  if (cell?.v === undefined || cell.v === null) return '';
  switch (cell.t) {
    case 'n':
      return shownByFile(cell) ?? (typeof cell.z === 'string' ? formatOf(cell.z) : general)(Number(cell.v));
    case 'b':
      return cell.v ? 'TRUE' : 'FALSE';
    case 'e':
      return cell.w ?? errors.get(Number(cell.v)) ?? '#ERROR!';
    case 'd':
      return new Date(cell.v as Date)
        .toISOString()
        .replace(/T00:00:00\.000Z$/, '')
        .replace('T', ' ')
        .replace(/\.\d+Z$/, '');
    default:
      return String(cell.v);
  }
}

/** The file's own text for a number, unless it is a date (shown as ISO) or in scientific form. */
function shownByFile({ w, z }: CellObject): string | undefined {
  if (w === undefined || /E[+-]?\d/i.test(w)) return undefined;
  return typeof z === 'string' && isDateFormat(z) ? undefined : w.trim();
}

/** Error cells by their number in .xls ([MS-XLS] 2.5.10). */
const errors = new Map<number, string>([
  [0x00, '#NULL!'],
  [0x07, '#DIV/0!'],
  [0x0f, '#VALUE!'],
  [0x17, '#REF!'],
  [0x1d, '#NAME?'],
  [0x24, '#NUM!'],
  [0x2a, '#N/A'],
]);
