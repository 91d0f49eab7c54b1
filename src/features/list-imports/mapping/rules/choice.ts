import type { PersonField } from '../person-fields.ts';
import { splitFields, type Transform } from '../transforms.ts';
import { type Candidate, type Column, minCertainty } from './candidates.ts';
import type { Meaning, Place } from './tables.ts';

/** What was chosen for a column. */
export interface Chosen {
  field: PersonField;
  certainty: number;
  reason: string;
  transform?: Transform;
}

/** A column and one of its candidates. */
export interface Match {
  column: Column;
  candidate: Candidate;
}

const penalties: Record<Place, number> = {
  plain: 0,
  residence: 0.02,
  mailing: 0.06,
  billing: 0.12,
  work: 0.15,
  other: 9,
};

/** The choice of columns for fields: each column once, each field once unless columns are joined. */
export class Choice {
  readonly #columns: readonly Column[];
  readonly #chosen = new Map<Column, Chosen>();
  readonly #filled = new Set<PersonField>();

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
  }

  get chosen(): ReadonlyMap<Column, Chosen> {
    return this.#chosen;
  }

  has(field: PersonField): boolean {
    return this.#filled.has(field);
  }

  choose({ column, candidate }: Match, field: PersonField, options: Partial<Omit<Chosen, 'field'>> = {}): void {
    this.#chosen.set(column, { field, certainty: candidate.certainty, reason: candidate.reason, ...options });
    for (const filled of splitFields(options.transform) ?? [field]) this.#filled.add(filled);
  }

  /**
   * Unassigned columns that may have the meaning, the best first: by certainty, place, whether they have values, and file order.
   */
  matches(meaning: Meaning, places?: readonly Place[]): Match[] {
    return this.#columns
      .filter((column) => !this.#chosen.has(column))
      .flatMap((column) => {
        const candidate = column.candidates.find(
          (one) => one.meaning === meaning && (places ? places.includes(one.place) : one.place !== 'other'),
        );
        return candidate && candidate.certainty >= minCertainty ? [{ column, candidate }] : [];
      })
      .sort((a, b) => worth(b) - worth(a));
  }

  best(meaning: Meaning, places?: readonly Place[]): Match | undefined {
    return this.matches(meaning, places)[0];
  }

  /** Assigns the best column to a field that is free, if there is one. */
  fill(field: PersonField, meaning: Meaning = field as Meaning, places?: readonly Place[]): boolean {
    const best = this.has(field) ? undefined : this.best(meaning, places);
    if (best) this.choose(best, field);
    return best !== undefined;
  }
}

function worth({ column, candidate }: Match): number {
  const emptiness = column.profile.filled === 0 ? 0.3 : 0;
  return candidate.certainty - penalties[candidate.place] - emptiness - (candidate.ordinal - 1) * 0.1;
}
