import { plainText } from '../../../components/log/plain-text.ts';
import type { Preview } from '../queries.ts';

const shown = 3;
const longest = 60;

/** A few different values of each column, by its name, cut where they are long. */
export function samplesOf({ headers, sample_rows: rows }: Preview): ReadonlyMap<string, string[]> {
  return new Map(
    headers.map((header) => {
      const values = rows.map((row) => plainText(row[header] ?? '').trim()).filter((value) => value !== '');
      const cut = values.map((value) => (value.length > longest ? `${value.slice(0, longest)} …` : value));
      return [header, [...new Set(cut)].slice(0, shown)] as const;
    }),
  );
}
