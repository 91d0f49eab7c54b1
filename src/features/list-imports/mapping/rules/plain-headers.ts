import { readHeader } from './read-header.ts';
import { isKnown } from './tables.ts';

/** Headers without the numbering, prefixes and marks that a form or an export adds. */
export const plainHeaders = (headers: readonly string[]): readonly string[] =>
  [countedFromOne, withoutMergeMarks, withoutEnumeration, withoutSharedPrefix, withQualifiers].reduce(
    (shown, make) => make(shown),
    headers,
  );

/** How many headers have what a function finds in them. */
const countsOf = (headers: readonly string[], find: (header: string) => string | undefined): Map<string, number> =>
  new Map([...Map.groupBy(headers, (header) => find(header) ?? '')].map(([found, { length }]) => [found, length]));

/** A prefix is the export's own if at least this number and this share of the columns have it. */
const minColumns = 3;
const minShare = 0.2;

/** Headers without what an export sets before many of them and that says nothing about a column: `can2_`, `npe01__`, `p_`. */
function withoutSharedPrefix(headers: readonly string[]): string[] {
  const least = Math.max(minColumns, headers.length * minShare);
  const shared = [...countsOf(headers, prefixOf)].filter(([prefix, count]) => prefix !== '' && count >= least);
  const own = new Set(shared.map(([prefix]) => prefix).filter((prefix) => !distinguishesPeople(prefix, headers)));
  return headers.map((header) => {
    const plain = header.replace(/__c$/i, '').replace(/^[a-z]\w{1,14}?__/i, '');
    const prefix = prefixOf(header) ?? '';
    return plain === header && own.has(prefix) ? header.slice(prefix.length) : plain;
  });
}

/** "canvasser_name" next to "voter_last": names occur with and without the prefix, so it distinguishes people. */
const distinguishesPeople = (prefix: string, headers: readonly string[]): boolean =>
  headers.some((header) => header.startsWith(prefix) && isName(header.slice(prefix.length))) &&
  headers.some((header) => !header.startsWith(prefix) && isName(header));

function isName(header: string): boolean {
  const reading = readHeader(header);
  return reading.kind === 'field' && reading.meanings.some(({ meaning }) => /^(?:first|last|full)_name$/.test(meaning));
}

/** The part before the first separator, unless it is a word of the vocabulary. */
function prefixOf(header: string): string | undefined {
  const [prefix, word = ''] = /^([a-z][a-z0-9]{0,14})[_.:]+(?=[a-z])/i.exec(header) ?? [];
  // A letter or two before words of an address say whose it is: r_city, ma_city, ad_city.
  return isKnown(word.toLowerCase()) || /^(?:[rmhcw]|ra|ma|ad)$/i.test(word) ? undefined : prefix;
}

/** "1. ", "Q2: ", "3) ": what counts the questions of a form; a number before one header alone is part of it. */
const counted = /^\s*(?:q(?:uestion)?\.? ?|pregunta )?\d{1,3}\s?[.):](?=[^\p{N}\p{L}]*\p{L})\s*/iu;

function withoutEnumeration(headers: readonly string[]): readonly string[] {
  const isForm = headers.filter((header) => counted.test(header)).length > 1;
  return isForm ? headers.map((header) => header.replace(counted, '')) : headers;
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
  const counts = countsOf(headers, beforeBrackets);
  return headers.map((header) => {
    const field = beforeBrackets(header);
    return field !== undefined && (counts.get(field) ?? 0) > 1 ? header.replace(/[()[\]]/g, ' ') : header;
  });
}

/** The text before the brackets at the end of a header; a number in them counts repeats. */
function beforeBrackets(header: string): string | undefined {
  const [, field = '', remark = ''] = /^([^([]*)[([]([^)\]]*)[)\]]$/.exec(header.trim()) ?? [];
  return /\p{L}/u.test(field) && /\p{L}/u.test(remark) ? field.trim().toLowerCase() : undefined;
}

const plain = (header: string): string => header.trim().toLowerCase();

/**
 * Which headers repeat another one: "City (2)", as the loader numbers equal headers, "City.1" and "City_y" after "City_x", as some
 * programs do. A repeat is another address or another name; only a second phone is useful.
 * @returns for each header, whether it does
 */
export function repeatsOf(headers: readonly string[]): boolean[] {
  const all = new Set(headers.map(plain));
  return headers.map(plain).map((header) => {
    const first = /^(.*\D)(?:\.\d+| \(\d+\))$/.exec(header)?.[1] ?? header.replace(/(.)_y$/, '$1_x');
    return first !== header && all.has(first.trim());
  });
}

/** Headers without the "_x" and "_y" of merged lists, where both are there. */
function withoutMergeMarks(headers: readonly string[]): string[] {
  const all = new Set(headers.map(plain));
  return headers.map((header) => {
    const name = /^(.+)_[xy]$/i.exec(header.trim())?.[1];
    return name !== undefined && ['x', 'y'].every((mark) => all.has(plain(`${name}_${mark}`))) ? name : header;
  });
}
