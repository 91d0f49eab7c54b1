import { readHeader } from './read-header.ts';
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
  const own = new Set(
    [...counts]
      .filter(([, count]) => count >= leastColumns && count >= headers.length * leastShare)
      .map(([prefix]) => prefix)
      .filter((prefix) => !saysWhose(prefix, headers)),
  );
  return headers.map((header) => {
    const plain = header.replace(/__c$/i, '').replace(/^[a-z]\w{1,14}?__/i, '');
    if (plain !== header) return plain;
    const prefix = prefixOf(header);
    return prefix !== undefined && own.has(prefix) ? header.slice(prefix.length) : header;
  });
}

/** "canvasser_name" beside "voter_last": people are named with it and without it, so it tells them apart. */
function saysWhose(prefix: string, headers: readonly string[]): boolean {
  const [borne, others] = [true, false].map((having) =>
    headers.filter((header) => header.startsWith(prefix) === having),
  );
  return !!borne?.some((header) => isName(header.slice(prefix.length))) && !!others?.some(isName);
}

function isName(header: string): boolean {
  const reading = readHeader(header);
  return reading.kind === 'field' && reading.meanings.some(({ meaning }) => /^(?:first|last|full)_name$/.test(meaning));
}

/** What stands before the first sign, unless it is a word of the vocabulary. */
function prefixOf(header: string): string | undefined {
  const prefix = /^[a-z][a-z0-9]{0,14}[_.:]+(?=[a-z])/i.exec(header)?.[0];
  const word = prefix?.replace(/(?<![_.:])[_.:]+$/, '').toLowerCase() ?? '';
  // A letter or two before words of an address say whose it is: r_city, ma_city, ad_city.
  return prefix === undefined || canonical(word) !== undefined || /^(?:[rmhcw]|ra|ma|ad)$/.test(word)
    ? undefined
    : prefix;
}
