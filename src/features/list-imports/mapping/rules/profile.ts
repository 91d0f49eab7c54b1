import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { splitPlace } from '../../rows/values/place.ts';
import { isAmerican, stateCode } from '../../rows/values/state.ts';
import data from './words.json' with { type: 'json' };

/** What a cell can look like, several at once. A `written_phone` has signs between its digits or a leading +. */
export type ValueKind =
  | (typeof patterns)[number][0]
  | 'phone'
  | 'written_phone'
  | 'state'
  | 'state_code'
  | 'street'
  | 'po_box'
  | 'whole_address'
  | 'city_state_zip'
  | 'given_name'
  | 'full_name';

/** A column by its values. */
export interface Profile {
  /** Cells looked at that are not blank. */
  filled: number;
  rows: number;
  distinct: number;
  /** Share of the filled cells that look so; 0 where none is filled. */
  share(kind: ValueKind): number;
  /** The filled cells' most frequent first words, for columns that say what kind another one is. */
  commonest: string;
}

const longestCell = 200;
const givenNames = new Set(data.givenNames.join(' ').split(' '));
/** Whether it is a common given name (Social Security's lists), whatever its case and accents. */
function isGivenName(text = ''): boolean {
  const bare = text.normalize('NFKD').replace(/[\p{M}.]/gu, '');
  return givenNames.has(bare.toLowerCase());
}

/** @param rows sample rows; missing cells count as blank */
export function profileOf(rows: readonly (readonly string[])[], column: number): Profile {
  const values = new Map<string, number>();
  for (const row of rows) {
    // A spreadsheet's mark that what follows is text.
    const text = (row[column] ?? '')
      .slice(0, longestCell)
      .trim()
      .replace(/^'(?=[+\d(])/, '');
    if (text !== '') values.set(text, (values.get(text) ?? 0) + 1);
  }
  const counts = new Map<ValueKind, number>();
  let filled = 0;
  for (const [text, times] of values) {
    filled += times;
    for (const kind of valueKindsOf(text)) counts.set(kind, (counts.get(kind) ?? 0) + times);
  }
  const [commonest] = [...values].sort(([, a], [, b]) => b - a)[0] ?? [''];
  const share = (kind: ValueKind): number => (filled === 0 ? 0 : (counts.get(kind) ?? 0) / filled);
  return { filled, rows: rows.length, distinct: values.size, share, commonest };
}

const streetEnd =
  /\b(?:st(?:reet)?|ave?(?:nue)?|rd|road|blvd|boulevard|dr(?:ive)?|ln|lane|ct|court|way|pl(?:ace)?|ter(?:race)?|cir(?:cle)?|hwy|highway|pkwy|parkway|trl|trail|loop|sq|square|pike|run|row|route|rte|plaza|cres(?:cent)?|close|gardens?|calle|avenida|camino)\b/i;
const patterns = [
  ['email', /^[^\s@,;<>]+@[^\s@,;<>]+\.[a-z]{2,}(?:[,;\s]|$)/i],
  ['zip', /^(?:z:)?\d{5}(?:-?\d{4})?$|^[a-z]\d[a-z] ?\d[a-z]\d$|^[a-z]{1,2}\d[a-z\d]? ?\d[a-z]{2}$/i],
  // Digits that could be a number somewhere: without an area code, of another country.
  ['local_phone', /^(?=(?:\D*\d){7,15}\D*$)\+?[\d\s().-]{7,20}$/],
  [
    'date',
    /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))(?:[T ].*)?$|^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$|^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2},? \d{4}/i,
  ],
  ['number', /^[-+$]?\d[\d,]*(?:\.\d+)?%?$/],
  ['yes_no', /^(?:y|n|yes|no|true|false|t|f|si|sí|0|1|x)$/i],
  ['words', /^[\p{L}][\p{L}\p{M} .,'’&/()-]*$/u],
  // An initial, a sex, a party.
  ['letter', /^\p{L}\.?$/u],
  ['several_words', /^\p{L}[\p{L}\p{M}.'’-]*,?(?: \p{L}[\p{L}\p{M}.'’-]*){1,4}$/u],
  ['county', /\b(?:county|parish|borough|census area|condado)$|^county of /i],
  ['district', /^[a-z]{2}[- ]?(?:\d{1,2}|al)$|^(?:cd|congressional(?: district)?)[- ]*\d{1,2}$/i],
  [
    'support',
    /^(?:[1-5](?:\s*[-–:=]\D+)?|strong(?:ly)? .*|lean(?:s|ing)?\b.*|undecided.*|(?:firm |soft |likely |definite )?(?:yes|no|support(?:er|s)?|oppos(?:e|ed|es)|against|for|maybe)|unknown|refused)$/i,
  ],
  [
    'precinct_status',
    /^(?:filled|vacant|open|appointed|elected|pending|organi[sz]ed|unorgani[sz]ed|partial|staffed|unstaffed)$/i,
  ],
  [
    'precinct_role',
    /\b(?:captain|co-?captain|committee ?(?:man|woman|person|member)|chair(?:man|woman|person)?|vice chair|pco|pcp|delegate|alternate|block leader|precinct leader|judge|inspector|poll watcher)\b|^member$|^capt\.?$/i,
  ],
  [
    'phone_kind',
    /^\W*(?:mobile|cell(?:ular|phone)?|m[oó]vil|celular|home|casa|particular|landline|iphone|work|trabajo|business|office|main|other|e-?mail|fax)\b/i,
  ],
  ['id', /^[0-9a-f]{8}-[0-9a-f]{4}-|^\d{6,}$|^(?=.*\d)(?=.*[a-z])[a-z0-9:_-]{7,}$/i],
] as const;

/** Everything that a text looks like. */
export function valueKindsOf(text: string): ValueKind[] {
  const kinds: ValueKind[] = patterns.filter(([, pattern]) => pattern.test(text)).map(([kind]) => kind);
  if (isPhone(text)) kinds.push('phone', ...(/[^\d]/.test(text) ? (['written_phone'] as const) : []));
  const code = text.length <= 'District of Columbia'.length + 10 ? stateCode(text) : undefined;
  if (code !== undefined) kinds.push('state');
  if (code !== undefined && text.length === 2 && isAmerican(code)) kinds.push('state_code');
  const numbered = /^\d+[a-z]?(?:[- ]\d+(?:\/\d+)?)?\s+\S*\p{L}/iu.test(text);
  const isBox = /^p\.?\s?o\.? box \d/i.test(text);
  if ((numbered && text.length > 6) || isBox) kinds.push('street');
  if (isBox) kinds.push('po_box');
  // Two words at least, a state or ZIP code or country at the end.
  const parts = /[\p{L}\d]$/u.test(text) && /\p{L}[\s,]/u.test(text) ? splitPlace(text) : undefined;
  if (parts && parts.state !== '' && parts.city !== '' && (parts.zip !== '' || text.includes(','))) {
    kinds.push(numbered && (streetEnd.test(text) || text.includes(',')) ? 'whole_address' : 'city_state_zip');
  }
  const [name = '', ...further] = text.split(/[\s,]+/);
  if (/^[\p{L}'’.-]+$/u.test(name) && [name, further[0], further.at(-1)].some(isGivenName)) {
    if (further.length === 0) kinds.push('given_name');
    else if (further.length <= 3 && /^[\p{L}\p{M} .,'’-]+$/u.test(text)) kinds.push('full_name');
  }
  return kinds;
}

function isPhone(text: string): boolean {
  if (text.length > 40) return false;
  const plain = text.replace(/^[a-z]{1,3}:/i, '').replace(/(?:x|ext\.?)\s*\d+$/i, '');
  const [first = plain] = plain.split(/[,;/]/);
  const digits = first.replace(/\D/g, '');
  if (digits.length < 10 || digits.length > 15 || /[^\d\s().+-]/.test(first)) return false;
  // 555-01xx and the like are possible numbers, though none that is in service.
  return parsePhoneNumberFromString(first, 'US')?.isPossible() ?? false;
}
