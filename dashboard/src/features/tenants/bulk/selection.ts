import { useCallback, useRef } from 'react';
import type { Tenant } from '../../../api/client.ts';
import { keptStore } from './kept-store.ts';

/** The tenants that are selected in the list, by id. They stay so while other pages are looked at. */
export const selection = keptStore<ReadonlySet<string>>(
  'tenantry.selection',
  (kept) => new Set(Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : []),
  (ids) => [...ids],
);

/** Selects these too, or takes them out. */
export function select(ids: Iterable<string>, on: boolean): void {
  const next = new Set(selection.get());
  for (const id of ids) {
    if (on) next.add(id);
    else next.delete(id);
  }
  selection.set(next);
}

export type SelectRow = (id: string, on: boolean, range: boolean) => void;

/** Selects a row or takes it out; with `range`, all from the row that was last chosen to this one. */
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
