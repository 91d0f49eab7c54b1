import {
  type ElaborateFormat,
  general,
  isElaborate,
  type NumberFormat,
  numberFormat,
} from '../legacy/number-format.ts';
import { readXml } from './xml.ts';

/** The codes of numbered formats that a workbook may omit (ECMA-376 part 1, 18.8.30, and the East Asian dates). */
const builtIn = new Map<number, string>([
  [1, '0'],
  [2, '0.00'],
  [3, '#,##0'],
  [4, '#,##0.00'],
  [5, '"$"#,##0;("$"#,##0)'],
  [6, '"$"#,##0;("$"#,##0)'],
  [7, '"$"#,##0.00;("$"#,##0.00)'],
  [8, '"$"#,##0.00;("$"#,##0.00)'],
  [9, '0%'],
  [10, '0.00%'],
  [11, '0.00E+00'],
  [12, '# ?/?'],
  [13, '# ??/??'],
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id): [number, string] => [
    id,
    'yyyy-mm-dd',
  ]),
  ...[18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56].map((id): [number, string] => [id, 'hh:mm:ss']),
  [22, 'yyyy-mm-dd hh:mm'],
  [37, '#,##0;(#,##0)'],
  [38, '#,##0;(#,##0)'],
  [39, '#,##0.00;(#,##0.00)'],
  [40, '#,##0.00;(#,##0.00)'],
  [41, '#,##0;(#,##0)'],
  [42, '"$"#,##0;("$"#,##0)'],
  [43, '#,##0.00;(#,##0.00)'],
  [44, '"$"#,##0.00;("$"#,##0.00)'],
  [46, '[h]:mm:ss'],
  [48, '##0.0E+0'],
]);

/** The number format of each cell style, by the style's number. */
export type CellFormats = (style: number) => NumberFormat;

/** @param elaborate called only when a style needs it: it is a large library */
export async function readStyles(
  part: string,
  bytes: AsyncIterable<Buffer>,
  date1904: boolean,
  elaborate: () => Promise<ElaborateFormat>,
): Promise<CellFormats> {
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
  const codes = styles.map((id) => custom.get(id) ?? builtIn.get(id) ?? '');
  const formatter = codes.some(isElaborate) ? await elaborate() : undefined;
  const byCode = new Map<string, NumberFormat>();
  for (const code of codes) if (!byCode.has(code)) byCode.set(code, numberFormat(code, date1904, formatter));
  const formats = codes.map((code) => byCode.get(code) ?? general);
  return (style) => formats[style] ?? general;
}
