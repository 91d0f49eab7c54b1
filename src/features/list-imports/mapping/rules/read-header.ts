import { isKnown, lists, type Meaning, meaningsOf, type Place, phraseWithin, places } from './tables.ts';
import { specialCases, wordsOf } from './words.ts';

type Meanings = readonly { meaning: Meaning; certainty: number }[];

export type HeaderReading = { place: Place; words: readonly string[] } & (
  | { kind: 'field'; meanings: Meanings; ordinal: number }
  /** Understood, but no person field. A reading about a third party is used if the list names no one else. */
  | { kind: 'custom'; certainty: number; thirdPartyReading?: { who: string; reading: HeaderReading } }
  /** Only useful to the exporting system: a row number, an import id. */
  | { kind: 'system'; certainty: number }
  /** Says nothing: only the values count. */
  | { kind: 'unknown' }
);

const systemColumn =
  /^(?:unnamed(?: \d+)?|id|row(?: (?:id|number|index))?|index|number|line number|record number|sequence|seq|guid|(?:created|updated|deleted|converted|entered)(?: user)? (?:by|at on)|(?:created|deleted) by|updated by(?: id)?|(?:deleted|converted)(?: (?:at|on|date|time))*|row version|is deleted|password|password hash|hash|euid|leid|gmtoff|dstoff|card number|line id|row number id)$/;
const staleDate = /^(?:(?:last|profile|date|record) )*updated(?: (?:date|time|at|on|last))*$/;

/** The rest of longer headers is ignored. */
const maxHeaderLength = 300;
/** Long headers are questions; what they ask for is less sure. */
const longHeaderPenalty = 0.25;

/** Reads a column's header; `''` and the loader's own "Column C" say nothing. */
export function readHeader(header: string): HeaderReading {
  const raw = header
    .slice(0, maxHeaderLength)
    .replace(/\uFEFF/g, '')
    .trim();
  if (raw === '' || /^column (?:[a-z]{1,3}|\d+)$|^_c?\d+$|^field ?\d+$/i.test(raw))
    return { kind: 'unknown', place: 'plain', words: [] };
  const plain = withoutRemark(raw);
  const { words: all, corrected } = wordsOf(plain);
  const words = specialCases(all);
  const text = words.join(' ');
  const system = (certainty: number) => ({ kind: 'system', certainty, place: 'plain', words }) as const;
  if (systemColumn.test(text) || words.some((word) => lists.secretWords.has(word)) || raw === '#') return system(0.95);
  if (staleDate.test(text)) return system(0.9);
  const whole = readWords(words, corrected * 0.12 + (words.length > 6 ? longHeaderPenalty : 0));
  return whole.kind === 'field' ? whole : (readTwoLanguages(plain) ?? whole);
}

/** "Given Name / Prénom", "Apt/Suite": several words for the same; of many, some are other things. */
function readTwoLanguages(header: string): HeaderReading | undefined {
  const parts = header.split(/[/|]/).filter((part) => /\p{L}/u.test(part));
  if (parts.length < 2) return undefined;
  const readings = parts.map((part) => readWords(specialCases(wordsOf(part).words), 0.05));
  const [first] = readings;
  if (first?.kind !== 'field') return undefined;
  const isOfFirst = ({ meaning }: { meaning: Meaning }) => first.meanings.some((one) => one.meaning === meaning);
  const same = readings.filter(
    (reading) => reading.kind === 'unknown' || (reading.kind === 'field' && reading.meanings.some(isOfFirst)),
  ).length;
  return same === readings.length || (readings.length > 2 && same >= readings.length / 2) ? first : undefined;
}

function readWords(words: readonly string[], doubt: number): HeaderReading {
  const isQuestion = words.includes('what');
  const spoken = withoutSubject(words).filter(
    (word) => !lists.fillerWords.has(word) && !(isQuestion && lists.questionWords.has(word)),
  );
  const { rest, ordinal, groupIndex } = extractNumbers(spoken);
  const place = rest.map((word) => places.get(word)).find((found) => found !== undefined) ?? 'plain';
  const core = rest.filter((word) => !places.has(word));
  const base = { place, words };
  // A question that speaks of a field may ask for it in words that are not understood.
  const most = doubt >= longHeaderPenalty && core.some((word) => lists.fieldWords.has(word)) ? 0.8 : 1;
  const custom = (certainty: number) => ({ kind: 'custom', certainty: Math.min(most, certainty), ...base }) as const;
  const field = (found: Meanings, less = 0): HeaderReading => ({
    kind: 'field',
    ordinal,
    ...base,
    meanings: found.map(({ meaning, certainty }) => ({ meaning, certainty: certainty - doubt - less })),
  });

  // Of a precinct's captain: role and status are fields, name and phone are not the person's. "Rep" is in districts too.
  const ofCaptain = rest.includes('captain') && meaningsOf(core).length === 0;
  const ofFirm = rest.includes('representative') && rest.some((word) => lists.personalWords.has(word));
  if (ofCaptain || ofFirm || rest.some((word) => lists.thirdParties.has(word))) {
    const written = meaningsOf(core.filter((word) => !lists.noteWriters.has(word)));
    if (written.some(({ meaning }) => meaning === 'notes')) return field(written, 0.1);
    const thirdPartyReading = readThirdParty(words, doubt);
    return thirdPartyReading ? { ...custom(0.89), thirdPartyReading } : custom(0.95);
  }
  if (groupIndex > 1) return custom(0.9);
  const exact = meaningsOf(core);
  // Of a person's several addresses the primary one is as good as the residence.
  const isMain =
    place === 'plain' && words.includes('primary') && exact.every(({ meaning }) => ofAddress.test(meaning));
  if (exact.length > 0) return { ...field(exact), ...(isMain && { place: 'residence' }) };
  if (rest.length === 0) return { kind: 'unknown', ...base };
  // "Home #" next to "Cell #", "Contact No."; if the values are no phones, they are house numbers or account numbers.
  const only = rest.join(' ');
  if (only === 'home number') return field([{ meaning: 'home_phone', certainty: 0.8 }]);
  if (only === 'number' && /\b(?:contact|reach)\b/.test(words.join(' ')))
    return field([{ meaning: 'phone', certainty: 0.8 }]);
  if (core.length === 0) {
    const alone = ordinal > 1 ? undefined : placeAlone[only];
    return alone ? field(alone) : custom(0.9);
  }
  const known = core.filter(isKnown);
  const strange = core.length - known.length;
  // "Public Address City"
  const despite = known.length > 1 && strange > 0 ? meaningsOf(known) : [];
  if (despite.length > 0) return field(despite, unknownWordPenalty(strange));
  const within = phraseWithin(core);
  if (within) {
    const left = core.filter((word) => !within.words.has(word));
    if (!left.some(isKnown)) return field([within], unknownWordPenalty(left.length));
    // Near enough to a field that it might be one after all.
    return custom(left.some((word) => lists.attributeWords.has(word)) ? 0.95 : 0.86);
  }
  if (known.length === 0) return { kind: 'unknown', ...base };
  // One known word among unknown ones says something as soon as the unknown ones lead: "xyz_city".
  const tail = isQuestion || strange === 0 || core.slice(0, -known.length).some(isKnown) ? [] : meaningsOf(known);
  if (tail.length > 0) return field(tail, 0.25);
  return custom(strange === 0 ? 0.95 : core.some((word) => lists.fieldWords.has(word)) ? 0.87 : 0.9);
}

const ofAddress = /^(?:address_line|address_unit|city|state|zip|county)$/;

/** By how much unknown words reduce a meaning's certainty. */
const unknownWordPenalty = (words: number): number => Math.min(0.4, 0.17 + 0.05 * words);

/** Without the words for the list's person; a number behind one counts people: the second of a row is another one. */
function withoutSubject(words: readonly string[]): string[] {
  const last = words.at(-1) ?? '';
  const counted = /^\d+$/.test(last) && lists.subjects.has(words.at(-2) ?? '');
  const left = words.slice(0, counted ? -1 : undefined).filter((word) => !lists.subjects.has(word));
  return counted && Number(last) > 1 ? ['coowner', ...left] : left;
}

/** What a header says of someone who may be the list's person after all. */
function readThirdParty(words: readonly string[], doubt: number) {
  const who = words.find((word) => lists.possibleSubjects.has(word));
  const rest = words.filter((word) => !lists.possibleSubjects.has(word) && !(who === 'captain' && word === 'precinct'));
  if (who === undefined || rest.some((word) => lists.thirdParties.has(word))) return undefined;
  const reading = readWords(rest, doubt);
  return reading.kind === 'field' ? { who, reading } : undefined;
}

/** "Home", "Mail": a place and nothing else; e-mail only if the values confirm it. */
const streetOrEmail: Meanings = [
  { meaning: 'address_line', certainty: 0.6 },
  { meaning: 'email', certainty: 0.38 },
];
const placeAlone: Record<string, Meanings> = {
  home: [
    { meaning: 'home_phone', certainty: 0.85 },
    { meaning: 'address_line', certainty: 0.5 },
  ],
  residence: streetOrEmail,
  mailing: streetOrEmail,
};

/** Remarks in brackets are left out, unless they say which of several: "Phone (mobile)". "{{field:ab12}}" was put in. */
function withoutRemark(header: string): string {
  const which = /^(?:cell|landline|sms|1|2|3|[hcmw]|ra|ma|line|first|last|name|number)$/;
  const bare = header.replace(/\{[^}]{0,500}\}+/g, ' ').replace(/[([][^)\]]{0,500}[)\]]/g, (remark) => {
    const { words } = wordsOf(remark);
    const counts = (word: string) => places.has(word) || lists.thirdPartyRemarks.has(word) || which.test(word);
    return words.length <= 2 && words.every(counts) ? ` ${remark} ` : ' ';
  });
  return bare.trim() === '' ? header : bare;
}

/** A number at the end counts lines or repeats; one within counts groups ("Address 2 - City"). */
function extractNumbers(words: readonly string[]): { rest: string[]; ordinal: number; groupIndex: number } {
  const numbers = words.filter((word) => /^\d+$/.test(word));
  const rest = words.filter((word) => !/^\d+$/.test(word));
  const trailing = /^\d+$/.test(words.at(-1) ?? '') ? numbers.pop() : undefined;
  const [inner = '1'] = numbers;
  const after = words.slice(words.indexOf(inner) + 1);
  // "Address 2 line", "Address line 2 - Home"
  const isLine = (after.length === 1 && after[0] === 'line') || after.every((word) => places.has(word));
  if (numbers.length > 0 && trailing === undefined && isLine) return { rest, ordinal: Number(inner), groupIndex: 1 };
  return { rest, ordinal: Number(trailing ?? 1), groupIndex: Number(inner) };
}
