import { chooseSheet, sheetWarnings } from '../legacy/choose-sheet.ts';
import { general } from '../legacy/number-format.ts';
import { limits, refused } from '../limits.ts';
import type { RawRow, RowSource, SheetInfo } from '../table.ts';
import type { ZipParts } from '../zip.ts';
import { readSharedStrings } from './shared-strings.ts';
import { sheetRows } from './sheet-rows.ts';
import { readStyles } from './styles.ts';
import { readWorkbook } from './workbook.ts';

/**
 * An .xlsx with streamed rows. The archive is closed with the source.
 * @param sheets from a layout, if known
 */
export async function xlsxSource(zip: ZipParts, wanted: string | undefined, known?: SheetInfo[]): Promise<RowSource> {
  const workbook = await readWorkbook(zip);
  const texts = workbook.sharedStrings
    ? await readSharedStrings(workbook.sharedStrings, zip.read(workbook.sharedStrings, 4 * limits.sharedStrings))
    : undefined;
  const formats = workbook.styles
    ? await readStyles(workbook.styles, zip.read(workbook.styles, limits.part), workbook.date1904)
    : () => general;
  const rowsOf = (part: string): AsyncGenerator<RawRow[]> =>
    sheetRows(part, zip.read(part, limits.sheet), { texts, formats });

  const sheets: SheetInfo[] = [];
  for (const { name, part } of known ? [] : workbook.sheets) sheets.push({ name, empty: await isEmpty(rowsOf(part)) });
  const sheet = chooseSheet(known ?? sheets, wanted);
  const part = workbook.sheets.find(({ name }) => name === sheet)?.part;
  if (part === undefined) throw refused(`The workbook no longer has a sheet "${sheet}"`);
  return {
    format: { format: 'xlsx', encoding: null, delimiter: null, quotes: null, sheet, sheets: known ?? sheets },
    warnings: sheetWarnings(sheets, sheet),
    rows: () => rowsOf(part),
    close: async () => zip.close(),
  };
}

async function isEmpty(rows: AsyncIterable<RawRow[]>): Promise<boolean> {
  for await (const _ of rows) return false;
  return true;
}
