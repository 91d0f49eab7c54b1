import { readHeader } from './read-header.ts';
import { canonical } from './tables.ts';

/** Headers without the numbering, prefixes and marks that a form or an export adds. */
export const plainHeaders = (headers: readonly string[]): readonly string[] =>
  [countedFromOne, withoutMergeMarks, withoutEnumeration, withoutSharedPrefix, withQualifiers].reduce(
    (shown: readonly string[], make) => make(shown),
    headers,
  );

/** A prefix is the export's own if at least this number and this share of the columns have it. */
const minColumns = 3;
const minShare = 0.2;

/** Headers without what an export sets before many of them and that says nothing about a column: `can2_`, `npe01__`, `p_`. */
function withoutSharedPrefix(headers: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const header of headers) {
    const prefix = prefixOf(header);
    if (prefix !== undefined) counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
  }
  const own = new Set(
    [...counts]
      .filter(([, count]) => count >= minColumns && count >= headers.length * minShare)
      .map(([prefix]) => prefix)
      .filter((prefix) => !distinguishesPeople(prefix, headers)),
  );
  return headers.map((header) => {
    const plain = header.replace(/__c$/i, '').replace(/^[a-z]\w{1,14}?__/i, '');
    if (plain !== header) return plain;
    const prefix = prefixOf(header);
    return prefix !== undefined && own.has(prefix) ? header.slice(prefix.length) : header;
  });
}

/** "canvasser_name" next to "voter_last": names occur with and without the prefix, so it distinguishes people. */
function distinguishesPeople(prefix: string, headers: readonly string[]): boolean {
  const [borne, others] = [true, false].map((having) =>
    headers.filter((header) => header.startsWith(prefix) === having),
  );
  return !!borne?.some((header) => isName(header.slice(prefix.length))) && !!others?.some(isName);
}

function isName(header: string): boolean {
  const reading = readHeader(header);
  return reading.kind === 'field' && reading.meanings.some(({ meaning }) => /^(?:first|last|full)_name$/.test(meaning));
}

/** The part before the first separator, unless it is a word of the vocabulary. */
function prefixOf(header: string): string | undefined {
  const prefix = /^[a-z][a-z0-9]{0,14}[_.:]+(?=[a-z])/i.exec(header)?.[0];
  const word = prefix?.replace(/(?<![_.:])[_.:]+$/, '').toLowerCase() ?? '';
  // A letter or two before words of an address say whose it is: r_city, ma_city, ad_city.
  return prefix === undefined || canonical(word) !== undefined || /^(?:[rmhcw]|ra|ma|ad)$/.test(word)
    ? undefined
    : prefix;
}

/** "1. ", "Q2: ", "3) ": what counts the questions of a form. */
const counted = /^\s*(?:q(?:uestion)?\.? ?|pregunta )?\d{1,3}\s?[.):](?=[^\p{N}\p{L}]*\p{L})\s*/iu;

/** Headers without the numbers that a form sets before its questions; a number before one header alone is part of it. */
function withoutEnumeration(headers: readonly string[]): string[] {
  const isForm = headers.filter((header) => counted.test(header)).length > 1;
  return isForm ? headers.map((header) => header.replace(counted, '')) : [...headers];
}

/** "tags[1]", "phones.0.number": what counts the entries of a record that was made flat. */
const index = /(?<=[.[/])\d{1,2}(?=$|[\].[/])/g;

/** Headers that count from 1, whatever they count from. */
function countedFromOne(headers: readonly string[]): string[] {
  const fromZero = headers.some((header) => header.match(index)?.some((number) => Number(number) === 0));
  return headers.map((header) => (fromZero ? header.replace(index, (number) => `${Number(number) + 1}`) : header));
}

/**
 * Headers with their bracketed text included if several differ only by it: "Name (First)" and "Name (Last)", "Address (City)" and
 * "Address (ZIP)", as form builders name the parts of a field. Otherwise brackets hold remarks.
 */
function withQualifiers(headers: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const header of headers) {
    const field = fieldOf(header);
    if (field !== undefined) counts.set(field, (counts.get(field) ?? 0) + 1);
  }
  return headers.map((header) => {
    const shared = (counts.get(fieldOf(header) ?? '') ?? 0) > 1;
    return shared ? header.replace(/[()[\]]/g, ' ') : header;
  });
}

/** The text before the brackets at the end of a header; a number in them counts repeats. */
function fieldOf(header: string): string | undefined {
  const [, field = '', remark = ''] = /^([^([]*)[([]([^)\]]*)[)\]]$/.exec(header.trim()) ?? [];
  return /\p{L}/u.test(field) && /\p{L}/u.test(remark) ? field.trim().toLowerCase() : undefined;
}

/**
 * Which headers repeat another one: "City (2)", as the loader numbers equal headers, "City.1" and "City_y" after "City_x", as some
 * programs do. A repeat is another address or another name; only a second phone is useful.
 * @returns for each header, whether it does
 */
export function repeatsOf(headers: readonly string[]): boolean[] {
  const all = new Set(headers.map(plain));
  return headers.map((header) => {
    const first = /^(.*\D)(?:\.\d+| \(\d+\))$/.exec(header.trim())?.[1];
    const left = /^(.+)_y$/i.exec(header.trim())?.[1];
    return (first !== undefined && all.has(plain(first))) || (left !== undefined && all.has(plain(`${left}_x`)));
  });
}

const plain = (header: string): string => header.trim().toLowerCase();

/** Headers without the "_x" of merged lists, if there is a "_y" too. */
function withoutMergeMarks(headers: readonly string[]): string[] {
  const all = new Set(headers.map(plain));
  return headers.map((header) => {
    const [, name, mark] = /^(.+)_([xy])$/i.exec(header.trim()) ?? [];
    if (name === undefined || mark === undefined) return header;
    return all.has(plain(`${name}_${mark.toLowerCase() === 'x' ? 'y' : 'x'}`)) ? name : header;
  });
}
