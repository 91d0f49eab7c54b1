import { type Candidate, type Column, candidatesOf, minCertainty } from './candidates.ts';
import type { Choice } from './choice.ts';
import type { HeaderReading } from './read-header.ts';
import { canonical, lists } from './tables.ts';

/** Factor for readings about a third party: they are less certain. */
const thirdPartyFactor = 0.95;

/**
 * Decides which person the rows are about if headers name several: "User First Name" and "Contact First Name", "Student" and
 * "Parent". It is the person with the highest score.
 */
export function resolveSubject(columns: readonly Column[]): void {
  const named = columns.filter(({ reading, candidates }) => reading.kind === 'field' && candidates.some(isName));
  if (named.every(isNamesake)) chooseThirdParty(columns, named.length > 0);
  const whose = new Set(named.map(({ reading }) => subjectOf(reading)));
  if (whose.size < 2 || whose.has('')) return;
  const groups = [...whose].map((subject) => columns.filter(({ reading }) => subjectOf(reading) === subject));
  const [most = [], ...less] = groups.sort((a, b) => score(b) - score(a));
  for (const group of less) {
    if (score(group) === score(most)) continue;
    for (const column of group) column.candidates = [];
  }
}

/** "Member Name" with firms in it: whole names of which none has a given name. */
const isNamesake = ({ candidates, profile }: Column): boolean =>
  candidates.every(({ meaning }) => meaning === 'full_name') && profile.share('full_name') === 0;

/**
 * Only third parties have names (a parent, a pupil): chooses the one with the highest score.
 * @param ofFirm whether the names may be companies: then only their representative counts
 */
function chooseThirdParty(columns: readonly Column[], ofFirm: boolean): void {
  const groups = new Map<string, { column: Column; reading: HeaderReading; candidates: Candidate[] }[]>();
  for (const column of columns) {
    if (column.reading.kind !== 'custom' || !column.reading.thirdPartyReading) continue;
    const { who, reading } = column.reading.thirdPartyReading;
    if (ofFirm && who !== 'representative') continue;
    const candidates = candidatesOf(reading, column.profile, true);
    if (candidates.length > 0) groups.set(who, [...(groups.get(who) ?? []), { column, reading, candidates }]);
  }
  const [most = []] = [...groups]
    .filter(([who, group]) =>
      lists.namedThings.has(who) ? isNamedInFull(group) : group.some(({ candidates }) => candidates.some(isName)),
    )
    .map(([, group]) => group)
    .sort((a, b) => score(b) - score(a));
  for (const { column, reading, candidates } of most) {
    column.reading = reading;
    column.candidates = candidates.map((candidate) => ({
      ...candidate,
      certainty: candidate.certainty * thirdPartyFactor,
    }));
  }
}

const isNamedInFull = (group: readonly { candidates: readonly Candidate[] }[]): boolean =>
  ['first_name', 'last_name'].every((part) =>
    group.some(({ candidates }) => candidates.some(({ meaning }) => meaning === part)),
  );

const subjectOf = ({ words }: HeaderReading): string => words.find((word) => lists.subjects.has(word)) ?? '';

const isName = ({ meaning, certainty }: Candidate): boolean =>
  certainty >= minCertainty && /^(?:first|last|full)_name$/.test(meaning);

/** The score of a group of columns: 1 for each meaning, 2 for phones and e-mail addresses. */
function score(group: readonly { candidates: readonly Candidate[] }[]): number {
  const meanings = new Set(group.flatMap(({ candidates }) => candidates.map(({ meaning }) => meaning)));
  return [...meanings].reduce((sum, meaning) => sum + (/phone|email/.test(meaning) ? 2 : 1), 0);
}

/**
 * Drops the candidates of columns about a person whose name was not chosen: if "First Name" won over "Texter First Name", "Texter
 * Email" is not the person's either. Call it after the names are chosen.
 */
export function dropThirdPartyColumns(choice: Choice, columns: readonly Column[]): void {
  const taken = columns.filter((column) => choice.chosen.has(column));
  const known = new Set(taken.flatMap(ownWord));
  const strange = new Set(
    columns
      .filter((column) => !choice.chosen.has(column) && isNameColumn(column))
      .flatMap(ownWord)
      .filter((word) => !known.has(word)),
  );
  if (taken.length === 0) return;
  for (const column of columns) {
    if (choice.chosen.has(column) || !ownWord(column).some((word) => strange.has(word))) continue;
    // What they noted is about the list's person.
    column.candidates = column.candidates.filter(({ meaning }) => meaning === 'notes');
  }
}

const isNameColumn = ({ reading }: Column): boolean =>
  reading.kind === 'field' && reading.meanings.some(({ meaning }) => /^(?:first|last|full)_name$/.test(meaning));

/** The word that a header begins with, where the vocabulary does not have it: it says whose the rest is. */
const ownWord = ({ reading }: Column): string[] =>
  reading.words.slice(0, 1).filter((word) => /^\p{L}{3,}$/u.test(word) && canonical(word) === undefined);
