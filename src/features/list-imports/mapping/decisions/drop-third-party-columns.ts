import type { Choice } from '../choice.ts';
import type { Column } from '../columns/column.ts';
import { canonical } from '../columns/vocabulary.ts';

/**
 * Takes back the claims of columns about somebody whose name was not taken: where "Texter First Name" gave way to "First Name",
 * "Texter Email" is nobody's of the list either. To be asked when the names are chosen.
 */
export function dropThirdPartyColumns(choice: Choice, columns: readonly Column[]): void {
  const taken = columns.filter((column) => choice.chosen.has(column));
  const known = new Set(taken.flatMap(ownWord));
  const strange = new Set(
    columns
      .filter((column) => !choice.chosen.has(column) && isName(column))
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

const isName = ({ reading }: Column): boolean =>
  reading.kind === 'field' && reading.meanings.some(({ meaning }) => /^(?:first|last|full)_name$/.test(meaning));

/** The word that a header begins with, where the vocabulary does not have it: it says whose the rest is. */
const ownWord = ({ reading }: Column): string[] =>
  reading.words.slice(0, 1).filter((word) => /^\p{L}{3,}$/u.test(word) && canonical(word) === undefined);
