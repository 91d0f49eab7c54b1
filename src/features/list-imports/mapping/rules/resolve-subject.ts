import { type Candidate, type Column, candidatesOf, minCertainty } from './candidates.ts';
import type { Choice } from './choice.ts';
import { isKnown, lists } from './tables.ts';

/** Factor for readings about a third party: they are less certain. */
const thirdPartyFactor = 0.95;

type Group = readonly { candidates: readonly Candidate[] }[];

/**
 * Decides which person the rows are about if headers name several: "User First Name" and "Contact First Name", "Student" and
 * "Parent". It is the person with the highest score.
 */
export function resolveSubject(columns: readonly Column[]): void {
  const named = columns.filter(({ reading, candidates }) => reading.kind === 'field' && candidates.some(isName));
  if (named.every(isNamesake)) chooseThirdParty(columns, named.length > 0);
  const whose = new Set(named.map(subjectOf));
  if (whose.size < 2 || whose.has('')) return;
  const groups = [...whose].map((subject) => columns.filter((column) => subjectOf(column) === subject));
  const most = Math.max(...groups.map(score));
  for (const column of groups.filter((group) => score(group) < most).flat()) column.candidates = [];
}

/** "Member Name" with firms in it: whole names of which none has a given name. */
const isNamesake = ({ candidates, profile }: Column): boolean =>
  candidates.every(({ meaning }) => meaning === 'full_name') && profile.share('full_name') === 0;

/**
 * Only third parties have names (a parent, a pupil): chooses the one with the highest score.
 * @param ofFirm whether the names may be companies: then only their representative counts
 */
function chooseThirdParty(columns: readonly Column[], ofFirm: boolean): void {
  const theirs = columns.flatMap((column) => {
    if (column.reading.kind !== 'custom' || !column.reading.thirdPartyReading) return [];
    const { who, reading } = column.reading.thirdPartyReading;
    const candidates = candidatesOf(reading, column.profile, true);
    return candidates.length === 0 || (ofFirm && who !== 'representative')
      ? []
      : [{ who, column, reading, candidates }];
  });
  const [most = []] = [...Map.groupBy(theirs, ({ who }) => who)]
    .filter(([who, group]) => (lists.namedThings.has(who) ? isNamedInFull(group) : has(group, isName)))
    .map(([, group]) => group)
    .sort((a, b) => score(b) - score(a));
  for (const { column, reading, candidates } of most) {
    column.reading = reading;
    column.candidates = candidates.map((one) => ({ ...one, certainty: one.certainty * thirdPartyFactor }));
  }
}

const has = (group: Group, is: (candidate: Candidate) => boolean): boolean =>
  group.some(({ candidates }) => candidates.some(is));

const isNamedInFull = (group: Group): boolean =>
  has(group, ({ meaning }) => meaning === 'first_name') && has(group, ({ meaning }) => meaning === 'last_name');

const subjectOf = ({ reading }: Column): string => reading.words.find((word) => lists.subjects.has(word)) ?? '';

const isName = ({ meaning, certainty = 1 }: { meaning: string; certainty?: number }): boolean =>
  certainty >= minCertainty && /^(?:first|last|full)_name$/.test(meaning);

/** The score of a group of columns: 1 for each meaning, 2 for phones and e-mail addresses. */
function score(group: Group): number {
  const meanings = new Set(group.flatMap(({ candidates }) => candidates.map(({ meaning }) => meaning)));
  return meanings.size + [...meanings].filter((meaning) => /phone|email/.test(meaning)).length;
}

/**
 * Drops the candidates of columns about a person whose name was not chosen: if "First Name" won over "Texter First Name", "Texter
 * Email" is not the person's either. Call it after the names are chosen.
 */
export function dropThirdPartyColumns(choice: Choice, columns: readonly Column[]): void {
  const [others, taken] = [false, true].map((chosen) => columns.filter((one) => choice.chosen.has(one) === chosen));
  const known = new Set(taken?.map(ownWord));
  const strange = new Set(others?.filter(isNameColumn).map(ownWord));
  for (const column of taken?.length ? (others ?? []) : []) {
    const word = ownWord(column);
    // What they noted is about the list's person.
    if (word !== undefined && strange.has(word) && !known.has(word))
      column.candidates = column.candidates.filter(({ meaning }) => meaning === 'notes');
  }
}

const isNameColumn = ({ reading }: Column): boolean =>
  reading.kind === 'field' && reading.meanings.some(({ meaning }) => isName({ meaning }));

/** The word that a header begins with, where the vocabulary does not have it: it says whose the rest is. */
const ownWord = ({ reading }: Column): string | undefined =>
  reading.words.slice(0, 1).find((word) => /^\p{L}{3,}$/u.test(word) && !isKnown(word));
