import { canonical, lists, type Meaning, meaningsOf, type Place, phraseWithin, places } from './tables.ts';
import { specialCases, wordsOf } from './words.ts';

export type HeaderReading = { place: Place; words: readonly string[] } & (
  | { kind: 'field'; meanings: readonly { meaning: Meaning; certainty: number }[]; ordinal: number }
  /** Understood, but no person field. */
  | {
      kind: 'custom';
      certainty: number;
      /** A reading about a third party, used if the list names no one else. */
      thirdPartyReading?: { who: string; reading: HeaderReading };
    }
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

/** Reads a column's header; `''` and the loader's own "Column C" say nothing. */
export function readHeader(header: string): HeaderReading {
  const raw = header
    .slice(0, maxHeaderLength)
    .replace(/\uFEFF/g, '')
    .trim();
  if (raw === '' || /^column [a-z]{1,3}$|^column \d+$|^_c?\d+$|^field ?\d+$/i.test(raw)) {
    return { kind: 'unknown', place: 'plain', words: [] };
  }
  const plain = withoutRemark(raw);
  const { words: all, corrected } = wordsOf(plain);
  const words = specialCases(all);
  const text = words.join(' ');
  const base = { place: 'plain' as Place, words };
  if (systemColumn.test(text) || words.some((word) => lists.secretWords.has(word)) || raw === '#') {
    return { kind: 'system', certainty: 0.95, ...base };
  }
  if (staleDate.test(text)) return { kind: 'system', certainty: 0.9, ...base };
  const whole = readWords(words, corrected * 0.12 + sentencePenalty(words));
  return whole.kind === 'field' ? whole : (readTwoLanguages(plain) ?? whole);
}

/** "Given Name / Prénom", "Apt/Suite": several words for the same. */
function readTwoLanguages(header: string): HeaderReading | undefined {
  const parts = header.split(/[/|]/).filter((part) => /\p{L}/u.test(part));
  if (parts.length < 2) return undefined;
  const readings = parts.map((part) => readWords(specialCases(wordsOf(part).words), 0.05));
  const [first] = readings;
  if (first?.kind !== 'field') return undefined;
  const meanings = new Set(first.meanings.map(({ meaning }) => meaning));
  const same = readings.filter(
    (reading) =>
      reading.kind === 'unknown' ||
      (reading.kind === 'field' && reading.meanings.some(({ meaning }) => meanings.has(meaning))),
  ).length;
  // Of many, some are other things: "State/Province/Region/County".
  const agree = same === readings.length || (readings.length > 2 && same >= readings.length / 2);
  return agree ? first : undefined;
}

function readWords(words: readonly string[], doubt: number): HeaderReading {
  const isQuestion = words.includes('what');
  const spoken = withoutSubject(words).filter(
    (word) => !lists.fillerWords.has(word) && !(isQuestion && lists.questionWords.has(word)),
  );
  const { rest, ordinal, groupIndex } = extractNumbers(spoken);
  const place = rest.map((word) => places.get(word)).find((found) => found !== undefined) ?? 'plain';
  const core = rest.filter((word) => places.get(word) === undefined);
  const base = { place, words };
  // Of a precinct's captain: role and status are fields, name and phone are not the person's. "Rep" is in districts too.
  const ofCaptain = rest.includes('captain') && meaningsOf(core).length === 0;
  const ofFirm = rest.includes('representative') && rest.some((word) => lists.personalWords.has(word));
  const spokenFor = ofCaptain || ofFirm || rest.some((word) => lists.thirdParties.has(word));
  // A question that speaks of a field may ask for it in words that are not understood.
  const most = doubt >= longHeaderPenalty && core.some((word) => lists.fieldWords.has(word)) ? 0.8 : 1;
  const custom = (certainty: number) => ({ kind: 'custom', certainty: Math.min(most, certainty), ...base }) as const;
  const field = (meanings: readonly { meaning: Meaning; certainty: number }[], less = 0): HeaderReading => ({
    kind: 'field',
    ordinal,
    ...base,
    meanings: meanings.map(({ meaning, certainty }) => ({ meaning, certainty: certainty - doubt - less })),
  });

  if (spokenFor) {
    const written = meaningsOf(core.filter((word) => !lists.noteWriters.has(word)));
    return written.some(({ meaning }) => meaning === 'notes') ? field(written, 0.1) : ofSomebody(words, doubt, custom);
  }
  if (groupIndex > 1) return custom(0.9);

  // The whole, with the word that says which ("home", "business") as part of it.
  const exact = meaningsOf(core);
  if (exact.length > 0) {
    const isMain =
      place === 'plain' &&
      words.includes('primary') &&
      exact.every(({ meaning }) => /^(?:address_line|address_unit|city|state|zip|county)$/.test(meaning));
    return isMain ? { ...field(exact), place: 'residence' } : field(exact);
  }
  if (rest.length === 0) return { kind: 'unknown', ...base };
  // "Home #" next to "Cell #", "Contact No."; if the values are no phones, they are house numbers or account numbers.
  if (rest.join(' ') === 'home number') return field([{ meaning: 'home_phone', certainty: 0.8 }]);
  if (rest.join(' ') === 'number' && (words.includes('contact') || words.includes('reach')))
    return field([{ meaning: 'phone', certainty: 0.8 }]);
  if (core.length === 0) return onlyPlace(rest, ordinal, field, custom);
  const known = core.filter((word) => canonical(word) !== undefined);
  const strange = core.length - known.length;
  // "Public Address City"
  const despite = known.length > 1 && strange > 0 ? meaningsOf(known) : [];
  if (despite.length > 0) return field(despite, unknownWordPenalty(strange));
  const within = phraseWithin(core);
  if (within) {
    const left = core.filter((word) => !within.words.has(word));
    const understood = left.filter((word) => canonical(word) !== undefined);
    if (understood.length === 0) return field([within], unknownWordPenalty(left.length));
    if (understood.some((word) => lists.attributeWords.has(word))) return custom(0.95);
    // Near enough to a field that it might be one after all.
    return custom(0.86);
  }
  if (known.length === 0) return { kind: 'unknown', ...base };
  // One known word among unknown ones says something as soon as the unknown ones lead: "xyz_city".
  if (
    !isQuestion &&
    known.length < core.length &&
    core.slice(0, -known.length).every((word) => canonical(word) === undefined)
  ) {
    const tail = meaningsOf(core.slice(-known.length));
    if (tail.length > 0) return field(tail, 0.25);
  }
  return custom(known.length === core.length ? 0.95 : core.some((word) => lists.fieldWords.has(word)) ? 0.87 : 0.9);
}

/** By how much unknown words reduce a meaning's certainty. */
const unknownWordPenalty = (words: number): number => Math.min(0.4, 0.17 + 0.05 * words);

/** Without the words for the list's person; a number behind one counts people: the second of a row is another one. */
function withoutSubject(words: readonly string[]): string[] {
  const last = words.at(-1) ?? '';
  const counted = /^\d+$/.test(last) && lists.subjects.has(words.at(-2) ?? '');
  const left = words.slice(0, counted ? -1 : undefined).filter((word) => !lists.subjects.has(word));
  return counted && Number(last) > 1 ? ['coowner', ...left] : left;
}

function ofSomebody(
  words: readonly string[],
  doubt: number,
  custom: (certainty: number) => HeaderReading & { kind: 'custom' },
): HeaderReading {
  const who = words.find((word) => lists.possibleSubjects.has(word));
  const rest = words.filter((word) => !lists.possibleSubjects.has(word) && !(who === 'captain' && word === 'precinct'));
  if (who === undefined || rest.some((word) => lists.thirdParties.has(word))) return custom(0.95);
  const reading = readWords(rest, doubt);
  return reading.kind === 'field' ? { ...custom(0.89), thirdPartyReading: { who, reading } } : custom(0.95);
}

/** "Home", "Work", "Mail": a place and nothing else. */
function onlyPlace(
  rest: readonly string[],
  ordinal: number,
  field: (meanings: readonly { meaning: Meaning; certainty: number }[]) => HeaderReading,
  custom: (certainty: number) => HeaderReading,
): HeaderReading {
  const [word] = rest;
  if (rest.length > 1 || ordinal > 1) return custom(0.9);
  if (word === 'home')
    return field([
      { meaning: 'home_phone', certainty: 0.85 },
      { meaning: 'address_line', certainty: 0.5 },
    ]);
  if (word === 'residence' || word === 'mailing')
    return field([
      { meaning: 'address_line', certainty: 0.6 },
      // Only if the values confirm it.
      { meaning: 'email', certainty: 0.38 },
    ]);
  return custom(0.9);
}

/** Remarks in brackets are left out, unless they say which of several: "Phone (mobile)". */
function withoutRemark(header: string): string {
  // "{{field:ab12}}": an answer that was put in.
  const bare = header.replace(/\{[^}]{0,500}\}+/g, ' ').replace(/[([][^)\]]{0,500}[)\]]/g, (remark) => {
    const { words } = wordsOf(remark);
    const which =
      words.length <= 2 &&
      words.every(
        (word) =>
          places.get(word) ||
          lists.thirdPartyRemarks.has(word) ||
          /^(?:cell|landline|sms|1|2|3|[hcmw]|ra|ma|line|first|last|name|number)$/.test(word),
      );
    return which ? ` ${remark} ` : ' ';
  });
  return bare.trim() === '' ? header : bare;
}

/** Long headers are questions; what they ask for is less sure. */
const sentencePenalty = (words: readonly string[]): number => (words.length > 6 ? longHeaderPenalty : 0);
const longHeaderPenalty = 0.25;

/** A number at the end counts lines or repeats; one within counts groups ("Address 2 - City"). */
function extractNumbers(words: readonly string[]): { rest: string[]; ordinal: number; groupIndex: number } {
  const numbers = words.filter((word) => /^\d+$/.test(word));
  const rest = words.filter((word) => !/^\d+$/.test(word));
  const last = words.at(-1) ?? '';
  const trailing = /^\d+$/.test(last);
  const inner = numbers.find((_, index) => !trailing || index < numbers.length - 1);
  const lineFirst =
    words[0] !== undefined && inner !== undefined && words.indexOf(inner) === words.length - 2 && last === 'line';
  if (lineFirst) return { rest, ordinal: Number(inner), groupIndex: 1 };
  // "Address line 2 - Home"
  const after = inner === undefined || trailing ? [] : words.slice(words.indexOf(inner) + 1);
  if (after.length > 0 && after.every((word) => places.has(word)))
    return { rest, ordinal: Number(inner), groupIndex: 1 };
  return { rest, ordinal: trailing ? Number(last) : 1, groupIndex: inner === undefined ? 1 : Number(inner) };
}
