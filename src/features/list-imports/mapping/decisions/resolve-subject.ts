import type { Choice } from '../choice.ts';
import { type Claim, type Column, claimsOf, leastCertainty } from '../columns/column.ts';
import { subjects, things } from '../columns/header-words.ts';
import type { HeaderReading } from '../columns/read-header.ts';
import { canonical } from '../columns/vocabulary.ts';

/** A reading that was made for another than the list's person is less sure to be meant. */
const sureness = 0.95;

/**
 * Settles who the rows are about where headers name several people and none as such: "User First Name" beside "Contact First
 * Name", "Student" beside "Parent". It is the one of whom the list tells most; reaching somebody counts for more than the name.
 */
export function resolveSubject(columns: readonly Column[]): void {
  const named = columns.filter(({ reading, claims }) => reading.kind === 'field' && claims.some(isName));
  if (named.every(isNamesake)) takeSomebody(columns, named.length > 0);
  const whose = new Set(named.map(({ reading }) => subjectOf(reading)));
  if (whose.size < 2 || whose.has('')) return;
  const groups = [...whose].map((subject) => columns.filter(({ reading }) => subjectOf(reading) === subject));
  const [most = [], ...less] = groups.sort((a, b) => told(b) - told(a));
  for (const group of less) {
    if (told(group) === told(most)) continue;
    for (const column of group) column.claims = [];
  }
}

/** "Member Name" with firms in it: whole names of which none has a given name. */
const isNamesake = ({ claims, profile }: Column): boolean =>
  claims.every(({ meaning }) => meaning === 'full_name') && profile.share('full_name') === 0;

/**
 * Nobody is named but a parent, a pupil: the one of whom most is told.
 * @param ofFirm whether what is named may be firms: then it is their representative or nobody
 */
function takeSomebody(columns: readonly Column[], ofFirm: boolean): void {
  const groups = new Map<string, { column: Column; reading: HeaderReading; claims: Claim[] }[]>();
  for (const column of columns) {
    if (column.reading.kind !== 'custom' || !column.reading.ofSomebody) continue;
    const { who, reading } = column.reading.ofSomebody;
    if (ofFirm && who !== 'representative') continue;
    const claims = claimsOf(reading, column.profile, true);
    if (claims.length > 0) groups.set(who, [...(groups.get(who) ?? []), { column, reading, claims }]);
  }
  const [most = []] = [...groups]
    .filter(([who, group]) =>
      things.has(who) ? isNamedInFull(group) : group.some(({ claims }) => claims.some(isName)),
    )
    .map(([, group]) => group)
    .sort((a, b) => told(b) - told(a));
  for (const { column, reading, claims } of most) {
    column.reading = reading;
    column.claims = claims.map((claim) => ({ ...claim, certainty: claim.certainty * sureness }));
  }
}

const isNamedInFull = (group: readonly { claims: readonly Claim[] }[]): boolean =>
  ['first_name', 'last_name'].every((part) =>
    group.some(({ claims }) => claims.some(({ meaning }) => meaning === part)),
  );

const subjectOf = ({ words }: HeaderReading): string => words.find((word) => subjects.has(word)) ?? '';

const isName = ({ meaning, certainty }: Claim): boolean =>
  certainty >= leastCertainty && /^(?:first|last|full)_name$/.test(meaning);

/** How much a group of columns tells: each kind of thing once, ways to reach somebody twice. */
function told(group: readonly { claims: readonly Claim[] }[]): number {
  const meanings = new Set(group.flatMap(({ claims }) => claims.map(({ meaning }) => meaning)));
  return [...meanings].reduce((sum, meaning) => sum + (/phone|email/.test(meaning) ? 2 : 1), 0);
}

/**
 * Takes back the claims of columns about somebody whose name was not taken: where "Texter First Name" gave way to "First Name",
 * "Texter Email" is nobody's of the list either. To be asked when the names are chosen.
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
    column.claims = column.claims.filter(({ meaning }) => meaning === 'notes');
  }
}

const isNameColumn = ({ reading }: Column): boolean =>
  reading.kind === 'field' && reading.meanings.some(({ meaning }) => /^(?:first|last|full)_name$/.test(meaning));

/** The word that a header begins with, where the vocabulary does not have it: it says whose the rest is. */
const ownWord = ({ reading }: Column): string[] =>
  reading.words.slice(0, 1).filter((word) => /^\p{L}{3,}$/u.test(word) && canonical(word) === undefined);
