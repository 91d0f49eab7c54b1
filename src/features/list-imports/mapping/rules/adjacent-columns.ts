import type { Candidate, Column } from './candidates.ts';
import type { Meaning } from './tables.ts';

/** Uses adjacent columns: one that gives the kind of a phone; without headers, those next to a given name or a ZIP code. */
export function applyAdjacentColumns(columns: readonly Column[], hasHeader: boolean): void {
  for (const column of columns) readPhoneKind(column, columns);
  if (!hasHeader) readUnnamedText(columns);
}

/** "Phone 1 - Value" is what "Phone 1 - Label" (or Type) says it is. */
function readPhoneKind(column: Column, columns: readonly Column[]): void {
  const phone = column.candidates.find(({ meaning }) => meaning === 'phone');
  if (!phone) return;
  const wanted = thing(column.reading.words);
  const kinds = columns.find(
    ({ reading }) =>
      reading.words.some((word) => word === 'label' || word === 'type') && thing(reading.words) === wanted,
  );
  if (!kinds || kinds.profile.share('phone_kind') < 0.5) return;
  const meaning = kindOf(kinds.profile.commonest);
  column.candidates = meaning
    ? [{ ...phone, meaning, ordinal: 1, certainty: 0.95, reason: `${kinds.header} says so` }]
    : [];
}

/** Which of several it is about, without what it says of it. */
const thing = (words: readonly string[]): string =>
  [...new Set(words.filter((word) => !/^(?:value|number|label|type)$/.test(word)))].join(' ');

function kindOf(label: string): Meaning | undefined {
  if (/e-?mail/i.test(label)) return 'email';
  if (/mobile|cell|m[oó]vil|celular|iphone/i.test(label)) return 'cell_phone';
  if (/home|casa|particular|landline/i.test(label)) return 'home_phone';
  return /work|trabajo|business|office|other|fax/i.test(label) ? undefined : 'phone';
}

/** Without headers: the words next to a given name are the family name, those before a state or ZIP code the city. */
function readUnnamedText(columns: readonly Column[]): void {
  const candidate = (meaning: Meaning, certainty: number): Candidate => ({
    meaning,
    certainty,
    place: 'plain',
    ordinal: 1,
    reason: 'Based on the adjacent columns',
  });
  const isText = (column: Column | undefined): column is Column =>
    column !== undefined &&
    column.candidates.length === 0 &&
    column.profile.filled > 0 &&
    column.profile.share('words') > 0.8 &&
    column.profile.share('letter') < 0.5;
  const at = (meaning: Meaning): number =>
    columns.reduce((best, column, index) => {
      const certainty = certaintyOf(column, meaning);
      const before = columns[best];
      return certainty > (before ? certaintyOf(before, meaning) : 0) ? index : best;
    }, -1);

  if (at('first_name') < 0 && at('full_name') < 0) likeliestGivenNames(columns.filter(isText));
  const first = at('first_name');
  if (first >= 0) {
    const next = columns[first + 1];
    // A middle name may be in between.
    const isMiddle = next !== undefined && (next.profile.filled === 0 || next.profile.share('letter') >= 0.5);
    const adjacent = isMiddle
      ? [columns[first + 2], columns[first - 1]]
      : [next, columns[first - 1], columns[first + 2]];
    const family = adjacent.find(isText);
    family?.candidates.push(candidate('last_name', 0.65));
  }
  for (const end of [at('state'), at('zip')]) {
    const before = end > 0 ? columns[end - 1] : undefined;
    if (isText(before) && before.profile.share('yes_no') < 0.5) {
      before.candidates.push(candidate('city', 0.65));
      break;
    }
  }
}

/** Where no column is full of common given names, the one that has most of them. */
function likeliestGivenNames(columns: readonly Column[]): void {
  const [most] = columns.toSorted((a, b) => b.profile.share('given_name') - a.profile.share('given_name'));
  if (!most || most.profile.share('given_name') < 0.15) return;
  most.candidates.push({
    meaning: 'first_name',
    certainty: 0.5,
    place: 'plain',
    ordinal: 1,
    reason: 'Some of its values are given names',
  });
}

const certaintyOf = ({ candidates }: Column, meaning: Meaning): number =>
  candidates.find((candidate) => candidate.meaning === meaning)?.certainty ?? 0;
