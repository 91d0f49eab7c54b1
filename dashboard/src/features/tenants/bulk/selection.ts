import { useCallback, useRef } from 'react';
import type { Tenant } from '../../../api/client.ts';
import { keptStore } from './kept-store.ts';

/** Ids of the selected tenants; kept while the user visits other pages. */
export const selection = keptStore<ReadonlySet<string>>(
  'tenantry.selection',
  (kept) => new Set(Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : []),
  (ids) => [...ids],
);

/** Selects or deselects these. */
export function select(ids: Iterable<string>, on: boolean): void {
  const next = new Set(selection.get());
  for (const id of ids) {
    if (on) next.add(id);
    else next.delete(id);
  }
  selection.set(next);
}

export type SelectRow = (id: string, on: boolean, range: boolean) => void;

/** Selects or deselects a row; with `range`, all rows from the last chosen one to this one. */
export function useSelectRow(shown: readonly Tenant[]): SelectRow {
  const list = useRef(shown);
  list.current = shown;
  const last = useRef<string>(undefined);
  return useCallback((id, on, range) => {
    const at = (wanted: string | undefined): number => list.current.findIndex((tenant) => tenant.id === wanted);
    const [from, to] = [at(last.current), at(id)];
    last.current = id;
    if (!range || from === -1 || to === -1) return select([id], on);
    const rows = list.current.slice(Math.min(from, to), Math.max(from, to) + 1);
    select(
      rows.map((row) => row.id),
      on,
    );
  }, []);
}
