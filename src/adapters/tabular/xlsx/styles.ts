import { general, type NumberFormat, numberFormats } from '../legacy/number-format.ts';
import { readXml } from './xml.ts';

/** The codes of numbered formats that neither a workbook nor SheetJS names (ECMA-376 part 1, 18.8.30, and the East Asian dates). */
const unnamed: readonly [string, readonly number[]][] = [
  ['yyyy-mm-dd', [27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58]],
  ['hh:mm:ss', [32, 33, 34, 35, 55]],
  ['"$"#,##0;("$"#,##0)', [5, 6, 42]],
  ['"$"#,##0.00;("$"#,##0.00)', [7, 8, 44]],
  ['#,##0;(#,##0)', [41]],
  ['#,##0.00;(#,##0.00)', [43]],
];
const plainIds: readonly number[] = [0, 49];

/** The number format of each cell style, by the style's number. */
export type CellFormats = (style: number) => NumberFormat;

export async function readStyles(part: string, bytes: AsyncIterable<Buffer>, date1904: boolean): Promise<CellFormats> {
  const custom = new Map<number, string>();
  const styles: number[] = [];
  let inCellStyles = false;
  await readXml(part, bytes, {
    open(name, attributes) {
      if (name === 'numFmt') custom.set(Number(attributes.numFmtId), attributes.formatCode ?? '');
      else if (name === 'cellXfs') inCellStyles = true;
      else if (name === 'xf' && inCellStyles) styles.push(Number(attributes.numFmtId ?? 0));
    },
    close(name) {
      if (name === 'cellXfs') inCellStyles = false;
    },
  });
  if (styles.every((id) => plainIds.includes(id))) return () => general;
  // A large library: loaded where a workbook needs it.
  const library = await import('xlsx');
  const named: Record<number, string> = library.SSF.get_table();
  const formatOf = numberFormats(library, date1904);
  const codeOf = (id: number): string =>
    custom.get(id) ?? named[id] ?? unnamed.find(([, ids]) => ids.includes(id))?.[0] ?? '';
  const formats = styles.map((id) => formatOf(codeOf(id)));
  return (style) => formats[style] ?? general;
}
