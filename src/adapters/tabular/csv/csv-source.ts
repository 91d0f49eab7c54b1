import { createReadStream } from 'node:fs';
import { headOf } from '../head.ts';
import { limits, refused } from '../limits.ts';
import type { Delimiter, RawRow, RowSource, TextEncoding } from '../table.ts';
import { isBlank } from '../table-rows.ts';
import { type CsvForm, csvParser, UnclosedQuote } from './csv-parser.ts';
import { findEncoding } from './text-encoding.ts';

/** In order of frequency: the first wins if two fit equally. */
const candidates: readonly Delimiter[] = [',', ';', '\t', '|', '^'];
/** So rare that it is only a delimiter if it splits every row. */
const rare: ReadonlySet<Delimiter> = new Set(['^']);
const rowsLookedAt = 200;
const pieceLength = 16 * 1024;

/**
 * The delimiter that splits the first rows most evenly; a comma if none splits at all (a list of one column).
 * @param head start of the text; its last line may be cut off
 */
function findDelimiter(head: string, quotes: boolean): Delimiter {
  let best: { delimiter: Delimiter; evenness: number } = { delimiter: ',', evenness: 0 };
  for (const delimiter of candidates) {
    const widths = widthsBy(delimiter, head, quotes);
    if (rare.has(delimiter) && widths.includes(1)) continue;
    const evenness = evennessOf(widths);
    if (evenness > best.evenness) best = { delimiter, evenness };
  }
  return best.delimiter;
}

function widthsBy(delimiter: Delimiter, head: string, quotes: boolean): number[] {
  const parser = csvParser({ delimiter, quotes });
  const widths: number[] = [];
  for (let at = 0; at < head.length && widths.length < rowsLookedAt; at += pieceLength)
    for (const cells of parser.push(head.slice(at, at + pieceLength))) if (!isBlank(cells)) widths.push(cells.length);
  return widths;
}

/** The share of rows that have the most common width, more for wider ones; 0 when that is a single column. */
function evennessOf(widths: number[]): number {
  const counts = new Map<number, number>();
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
  let best = 0;
  for (const [width, count] of counts) {
    if (width < 2) continue;
    best = Math.max(best, (count / widths.length) * (1 + Math.log2(width) / 8));
  }
  return best;
}

/** The line `sep=;` that Excel writes and reads above the rows. */
const separatorLine = /^"?sep=([,;\t|^])"?(\r\n|\n|\r)/i;

/** A text without such a line, and the delimiter that it names. Excel does not count it as a row either. */
function withoutSeparatorLine(text: string): { text: string; delimiter: Delimiter | undefined } {
  const found = separatorLine.exec(text);
  if (!found) return { text, delimiter: undefined };
  return { text: text.slice(found[0].length), delimiter: found[1] as Delimiter };
}

/** Decodes a text in chunks; drops a byte order mark, invalid bytes become U+FFFD. */
function decoderOf(encoding: TextEncoding): { write(bytes: Uint8Array): string; end(): string } {
  if (encoding === 'windows-1252') return { write: windows1252, end: () => '' };
  const decoder = new TextDecoder(encoding);
  return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
}

/** 0x80 to 0x9F of Windows-1252, by the WHATWG Encoding standard; all others are Latin-1's. */
const upper =
  '\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F' +
  '\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178';

// Own table: Node 24.0 to 24.6 decodes the label `windows-1252` as Latin-1, which turns the euro sign into a control character.
function windows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return text.replace(/[\x80-\x9f]/g, (character) => upper[character.charCodeAt(0) - 0x80] ?? character);
}

/** Small, so that few rows wait in memory. */
const chunkBytes = 64 * 1024;
const headBytes = 256 * 1024;

type CsvLayout = CsvForm & { encoding: TextEncoding };

interface ExaminedText {
  /** With cells quoted by `"`, as in nearly every file. Its rows may throw UnclosedQuote. */
  quoted: RowSource;
  /** For a text whose quotation marks are ordinary characters. */
  plain: () => RowSource;
}

/** Detects the format of a delimited text. @throws AppError unsupported_file for other files */
export async function examineCsv(path: string, signal: AbortSignal | undefined): Promise<ExaminedText> {
  const head = await headOf(path, headBytes);
  const { encoding, broken } = await findEncoding(path, head, signal);
  const decoder = decoderOf(encoding);
  const start = withoutSeparatorLine(decoder.write(head));
  // If the file ends within its head the last row is complete; the parser looks some bytes ahead.
  const text = head.length < headBytes ? `${start.text}${decoder.end()}${'\n'.repeat(8)}` : start.text;
  refuseWhatIsNoText(text);
  const warnings =
    broken === 0 ? [] : [`${broken} bytes of the file are no characters of its encoding (UTF-8); they show as \uFFFD.`];
  const reading = (quotes: boolean): RowSource =>
    csvSource(path, { encoding, delimiter: start.delimiter ?? findDelimiter(text, quotes), quotes }, signal, warnings);
  return { quoted: reading(true), plain: () => reading(false) };
}

/** A delimited text of known format. */
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

/** The file's text without byte order mark and separator line. */
async function* textOf(path: string, encoding: TextEncoding, signal: AbortSignal | undefined): AsyncGenerator<string> {
  const decoder = decoderOf(encoding);
  let first = true;
  for await (const bytes of createReadStream(path, { highWaterMark: chunkBytes, signal }) as AsyncIterable<Buffer>) {
    const text = decoder.write(bytes);
    yield first ? withoutSeparatorLine(text).text : text;
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

/** A cell of a text without quoting may still be quoted. */
function withoutEnclosing(cell: string): string {
  return cell.length >= 2 && cell.startsWith('"') && cell.endsWith('"')
    ? cell.slice(1, -1).replaceAll('""', '"')
    : cell;
}

/** Control characters that no list contains; a few are damage of an old export. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/g;

function refuseWhatIsNoText(text: string): void {
  if (text.trim() === '') throw refused('The file is empty');
  const found = text.match(controls)?.length ?? 0;
  if (found > 2 + text.length / 1_000) throw refused('The file is neither a delimited text nor a workbook');
}
