import type { Column } from './candidates.ts';
import type { Meaning } from './tables.ts';

/** Uses adjacent columns: one that gives the kind of a phone; without headers, those next to a given name or a ZIP code. */
export function applyAdjacentColumns(columns: readonly Column[], hasHeader: boolean): void {
  for (const column of columns) readPhoneKind(column, columns);
  if (!hasHeader) readUnnamedText(columns);
}

/** "Phone 1 - Value" is what "Phone 1 - Label" (or Type) says it is. */
function readPhoneKind(column: Column, columns: readonly Column[]): void {
  const phone = column.candidates.find(({ meaning }) => meaning === 'phone');
  const kinds =
    phone &&
    columns.find(
      ({ reading: { words } }) =>
        isKindOf.test(words.join(' ')) && groupWords(words) === groupWords(column.reading.words),
    );
  if (!kinds || kinds.profile.share('phone_kind') < 0.5) return;
  const meaning = phoneKinds.find(([kind]) => kind.test(kinds.profile.commonest))?.[1];
  column.candidates = meaning
    ? [{ ...phone, meaning, ordinal: 1, certainty: 0.95, reason: `${kinds.header} says so` }]
    : [];
}

const isKindOf = /\b(?:label|type)\b/;
/** The words that the columns of one phone share, without value, number, label and type. */
const groupWords = (words: readonly string[]): string =>
  [...new Set(words.filter((word) => !/^(?:value|number|label|type)$/.test(word)))].join(' ');

/** No meaning: not the person's. */
const phoneKinds: [RegExp, Meaning?][] = [
  [/e-?mail/i, 'email'],
  [/mobile|cell|m[oó]vil|celular|iphone/i, 'cell_phone'],
  [/home|casa|particular|landline/i, 'home_phone'],
  [/work|trabajo|business|office|other|fax/i],
  [/^/, 'phone'],
];

/** Without headers: the words next to a given name are the family name, those before a state or ZIP code the city. */
function readUnnamedText(columns: readonly Column[]): void {
  const add = (column: Column | undefined, meaning: Meaning, certainty: number, reason: string): void =>
    void column?.candidates.push({ meaning, certainty, place: 'plain', ordinal: 1, reason });
  const isText = (column: Column | undefined): boolean =>
    column?.candidates.length === 0 && column.profile.share('words') > 0.8 && column.profile.share('letter') < 0.5;
  /** Where the surest column of a meaning is; -1 if none is. */
  const at = (wanted: Meaning): number => {
    const certainties = columns.map(
      ({ candidates }) => candidates.find(({ meaning }) => meaning === wanted)?.certainty ?? 0,
    );
    const most = Math.max(...certainties);
    return most > 0 ? certainties.indexOf(most) : -1;
  };

  // Where no column is full of common given names, the one that has most of them.
  if (at('first_name') < 0 && at('full_name') < 0) {
    const givenNames = ({ profile }: Column): number => profile.share('given_name');
    const [most] = columns.filter(isText).sort((a, b) => givenNames(b) - givenNames(a));
    if (most && givenNames(most) >= 0.15) add(most, 'first_name', 0.5, 'Some of its values are given names');
  }
  const reason = 'Based on the adjacent columns';
  const first = at('first_name');
  if (first >= 0) {
    const [before, next, further] = [columns[first - 1], columns[first + 1], columns[first + 2]];
    // The middle name may be between.
    const isMiddle = next && (next.profile.filled === 0 || next.profile.share('letter') >= 0.5);
    add((isMiddle ? [further, before] : [next, before, further]).find(isText), 'last_name', 0.65, reason);
  }
  const city = [at('state'), at('zip')]
    .map((end) => columns[end - 1])
    .find((column) => isText(column) && (column?.profile.share('yes_no') ?? 1) < 0.5);
  add(city, 'city', 0.65, reason);
}
