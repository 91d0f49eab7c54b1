import type { Mapping } from '../queries.ts';

const filters = ['unsure', 'all', 'kept', 'skipped'] as const;
export type ColumnFilter = (typeof filters)[number];

/** From here on a suggestion is right so often that it need not be looked at. */
const sure = 0.9;

/** A small screen shows only what needs a decision. */
const narrow = matchMedia('(max-width: 720px)');

/** The filters, with the one that applies by default first: what needs review, if there is something. */
export function orderedFilters(suggested: readonly Mapping[]): readonly ColumnFilter[] {
  const isReview = narrow.matches || suggested.some((mapping) => fits(mapping, mapping, 'unsure'));
  return isReview ? filters : ['all', 'unsure', 'kept', 'skipped'];
}

/** @param suggested the same column as it was suggested: one that the user has just decided stays in view */
export function fits({ target }: Mapping, suggested: Mapping, filter: ColumnFilter): boolean {
  if (filter === 'unsure') return suggested.confidence < sure;
  if (filter === 'kept') return target !== 'skip';
  return filter === 'all' || target === 'skip';
}
