import type { Mapping } from '../queries.ts';

const filters = ['all', 'unsure', 'kept', 'skipped'] as const;
export type ColumnFilter = (typeof filters)[number];

/** From here on a suggestion is right so often that it need not be looked at. */
const sure = 0.9;

/** The column filter in the URL. */
export const filterOf = (search: URLSearchParams): ColumnFilter =>
  filters.find((name) => name === search.get('show')) ?? 'all';

export function fits({ target, confidence }: Mapping, filter: ColumnFilter): boolean {
  if (filter === 'unsure') return confidence < sure;
  if (filter === 'kept') return target !== 'skip';
  return filter === 'all' || target === 'skip';
}
