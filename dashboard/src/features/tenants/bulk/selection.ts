import type { RowSelectionState } from '@tanstack/react-table';
import { keptStore } from './kept-store.ts';

/** The selected tenants by id; kept while the user visits other pages. */
export const selection = keptStore<RowSelectionState>(
  'tenantry.selection',
  (kept) => Object.fromEntries(Array.isArray(kept) ? kept.map((id) => [String(id), true]) : []),
  Object.keys,
);
