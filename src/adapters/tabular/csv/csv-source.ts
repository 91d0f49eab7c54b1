import { createReadStream } from 'node:fs';
import { headOf } from '../head.ts';
import { limits } from '../limits.ts';
import { refused } from '../refuse.ts';
import type { RawRow, RowSource, TextEncoding } from '../table.ts';
import { type CsvForm, csvParser, UnclosedQuote } from './csv-parser.ts';
import { decoderOf } from './decode.ts';
import { findDelimiter } from './delimiter.ts';
import { separatorLineLength, withoutSeparatorLine } from './separator-line.ts';
import { findEncoding } from './text-encoding.ts';

/** Small, so that few rows wait in memory. */
const chunkBytes = 64 * 1024;
const headBytes = 256 * 1024;

type CsvLayout = CsvForm & { encoding: TextEncoding };

interface ExaminedText {
  /** With `"` enclosing cells, as nearly every file has it. Its rows may throw UnclosedQuote. */
  quoted: RowSource;
  /** For a text whose quotation marks are ordinary characters. */
  plain: () => RowSource;
}

/** Finds out how a delimited text is to be read. @throws AppError unsupported_file for what is no text */
export async function examineCsv(path: string, signal: AbortSignal | undefined): Promise<ExaminedText> {
  const head = await headOf(path, headBytes);
  const { encoding, broken } = await findEncoding(path, head, signal);
  const decoder = decoderOf(encoding);
  const start = withoutSeparatorLine(decoder.write(head));
  // In a file that ends within its beginning the last row is complete; the parser looks some bytes ahead.
  const text = head.length < headBytes ? `${start.text}${decoder.end()}${'\n'.repeat(8)}` : start.text;
  refuseWhatIsNoText(text);
  const warnings =
    broken === 0 ? [] : [`${broken} bytes of the file are no characters of its encoding (UTF-8); they show as \uFFFD.`];
  const reading = (quotes: boolean): RowSource =>
    csvSource(path, { encoding, delimiter: start.delimiter ?? findDelimiter(text, quotes), quotes }, signal, warnings);
  return { quoted: reading(true), plain: () => reading(false) };
}

/** A delimited text whose form is known. */
export function csvSource(
  path: string,
  layout: CsvLayout,
  signal: AbortSignal | undefined,
  warnings: string[] = [],
): RowSource {
  return {
    format: { format: 'csv', ...layout, sheet: null, sheets: [] },
    warnings,
    rows: (width) => csvRows(path, layout, signal, width),
    close: async () => undefined,
  };
}

async function* csvRows(
  path: string,
  layout: CsvLayout,
  signal: AbortSignal | undefined,
  width: number | undefined,
): AsyncGenerator<RawRow[]> {
  const parser = csvParser(layout, width);
  let fileRow = 0;
  const numbered = (records: string[][]): RawRow[] =>
    records.map((cells) => {
      fileRow += 1;
      checkBounds(cells, fileRow, layout.quotes);
      return { fileRow, cells: layout.quotes ? cells : cells.map(withoutEnclosing) };
    });
  for await (const text of textOf(path, layout.encoding, signal)) {
    const records = parser.push(text);
    if (records.length > 0) yield numbered(records);
  }
  yield numbered(await parser.end());
}

/** The file as UTF-8 (bytes or text) without byte order mark and separator line. */
async function* textOf(
  path: string,
  encoding: TextEncoding,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array | string> {
  const head = decoderOf(encoding).write(await headOf(path, 4 * separatorLineLength));
  let skip = head.length - withoutSeparatorLine(head).text.length;
  const chunks = createReadStream(path, { highWaterMark: chunkBytes, signal }) as AsyncIterable<Buffer>;
  // The parser takes UTF-8 as it is: only the first chunk needs a look.
  const decoder = decoderOf(encoding);
  let first = true;
  for await (const bytes of chunks) {
    if (encoding === 'utf-8' && !first) {
      yield bytes;
      continue;
    }
    if (encoding === 'utf-8') {
      const mark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
      yield bytes.subarray(mark + skip);
    } else {
      yield decoder.write(bytes).slice(skip);
      skip = 0;
    }
    first = false;
  }
  yield decoder.end();
}

function checkBounds(cells: string[], fileRow: number, quotes: boolean): void {
  if (cells.length > limits.columns)
    throw refused(`Row ${fileRow} has ${cells.length} columns; at most ${limits.columns} are read`);
  for (const cell of cells)
    if (cell.length > limits.cell)
      throw quotes && cell.includes('\n')
        ? new UnclosedQuote(fileRow)
        : refused(`A cell in row ${fileRow} has ${cell.length} characters; at most ${limits.cell} are read`);
}

/** A cell of a text without enclosing marks may have a pair all the same. */
function withoutEnclosing(cell: string): string {
  return cell.length >= 2 && cell.startsWith('"') && cell.endsWith('"')
    ? cell.slice(1, -1).replaceAll('""', '"')
    : cell;
}

/** Control characters that no list has; a few are taken for the damage of an old export. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/g;

function refuseWhatIsNoText(text: string): void {
  if (text.trim() === '') throw refused('The file is empty');
  const found = text.match(controls)?.length ?? 0;
  if (found > 2 + text.length / 1_000) throw refused('The file is neither a delimited text nor a workbook');
}
