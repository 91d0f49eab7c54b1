import type { Delimiter } from '../table.ts';
import { isBlank } from '../table-rows.ts';
import { csvParser } from './csv-parser.ts';

/** In the order of how common they are: the first wins where two fit alike. */
const candidates: readonly Delimiter[] = [',', ';', '\t', '|', '^'];
/** So rare that a text in which it does not cut every row has it as a character. */
const rare: ReadonlySet<Delimiter> = new Set(['^']);
const rowsLookedAt = 200;
const pieceLength = 16 * 1024;

/**
 * The delimiter that cuts the rows of a text's beginning most evenly; a comma where none cuts at all (a list of one column).
 * @param head beginning of the text; its last line may be cut off
 */
export function findDelimiter(head: string, quotes: boolean): Delimiter {
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
