import { csvParser } from './csv-parser.ts';
import type { Delimiter } from './table.ts';

/** In the order of how common they are: the first wins where two fit alike. */
const candidates: readonly Delimiter[] = [',', ';', '\t', '|'];
const rowsLookedAt = 200;

/**
 * The delimiter that cuts the rows of a text's beginning most evenly; a comma where none cuts at all (a list of one column).
 * @param head beginning of the text; its last line may be cut off
 */
export function findDelimiter(head: string, quotes: boolean): Delimiter {
  let best: { delimiter: Delimiter; evenness: number } = { delimiter: ',', evenness: 0 };
  for (const delimiter of candidates) {
    const evenness = evennessOf(widthsBy(delimiter, head, quotes));
    if (evenness > best.evenness) best = { delimiter, evenness };
  }
  return best.delimiter;
}

function widthsBy(delimiter: Delimiter, head: string, quotes: boolean): number[] {
  const records = csvParser({ delimiter, quotes }).push(head);
  return records
    .filter((cells) => cells.some((cell) => cell.trim() !== ''))
    .slice(0, rowsLookedAt)
    .map((cells) => cells.length);
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
