import type { Store } from '../../adapters/store/store.ts';
import { defineTable, id, instant, json, key, orNull, type RowOf } from '../../adapters/store/table.ts';
import type { Logos } from './editor/logos.ts';
import type { ThemeColours } from './editor/palette.ts';

/** The contents of a theme. */
export interface ThemeFields {
  colours: ThemeColours;
  logos: Logos;
  aiGenerated: boolean;
  sourceWebsite: string | null;
}

const columns = {
  id: key(id),
  tenantId: id,
  fields: json<ThemeFields>(),
  createdAt: instant,
  /** null: the theme is the one that the tenant was registered with. */
  changedAt: orNull(instant),
};
export type ThemeRow = RowOf<typeof columns>;

export const createThemeStore = (store: Store) => defineTable(store, 'tenant_themes', columns);
export type ThemeStore = ReturnType<typeof createThemeStore>;
