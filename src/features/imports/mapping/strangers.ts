import type { Choice } from './choice.ts';
import type { Column } from './column.ts';
import { canonical } from './vocabulary.ts';

/**
 * Takes back the claims of columns about somebody whose name was not taken: where "Texter First Name" gave way to "First Name",
 * "Texter Email" is nobody's of the list either. To be asked when the names are chosen.
 */
export function forgetStrangers(choice: Choice, columns: readonly Column[]): void {
  const taken = columns.filter((column) => choice.chosen.has(column));
  const known = new Set(taken.flatMap(ownWords));
  const strange = new Set(
    columns
      .filter((column) => !choice.chosen.has(column) && column.claims.some(isName))
      .flatMap(ownWords)
      .filter((word) => !known.has(word)),
  );
  if (taken.length === 0) return;
  for (const column of columns) {
    if (!choice.chosen.has(column) && ownWords(column).some((word) => strange.has(word))) column.claims = [];
  }
}

const isName = ({ meaning }: { meaning: string }): boolean => meaning === 'first_name' || meaning === 'last_name';

/** Words of a header that the vocabulary does not have. */
const ownWords = ({ reading }: Column): string[] =>
  reading.words.filter((word) => /^\p{L}{3,}$/u.test(word) && canonical(word) === undefined);
