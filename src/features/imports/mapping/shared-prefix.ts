import { canonical } from './vocabulary.ts';

/** So many columns, and this share of all, must bear a prefix before it counts as the export's own. */
const leastColumns = 3;
const leastShare = 0.2;

/** Headers without what an export sets before many of them and that says nothing about a column: `can2_`, `npe01__`, `p_`. */
export function withoutSharedPrefix(headers: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const header of headers) {
    const prefix = prefixOf(header);
    if (prefix !== undefined) counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
  }
  return headers.map((header) => {
    const plain = header.replace(/__c$/i, '').replace(/^[a-z]\w{1,14}?__/i, '');
    if (plain !== header) return plain;
    const prefix = prefixOf(header);
    const count = counts.get(prefix ?? '') ?? 0;
    const shared = prefix !== undefined && count >= leastColumns && count >= headers.length * leastShare;
    return shared ? header.slice(prefix.length) : header;
  });
}

/** What stands before the first sign, unless it is a word of the vocabulary. */
function prefixOf(header: string): string | undefined {
  const prefix = /^[a-z][a-z0-9]{0,14}[_.:]+(?=[a-z])/i.exec(header)?.[0];
  const word = prefix?.replace(/[_.:]+$/, '').toLowerCase() ?? '';
  // A letter or two before words of an address say whose it is: r_city, ma_city, ad_city.
  return prefix === undefined || canonical(word) !== undefined || /^(?:[rmhcw]|ra|ma|ad)$/.test(word)
    ? undefined
    : prefix;
}
