import type { Store } from '../../adapters/store/store.ts';
import {
  defineTable,
  id,
  instant,
  json,
  key,
  orNull,
  ownedBy,
  type RowOf,
  tableIn,
  unique,
} from '../../adapters/store/table.ts';
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
  tenantId: unique(ownedBy('tenants')),
  fields: json<ThemeFields>(),
  createdAt: instant,
  /** null: the theme is the one that the tenant was registered with. */
  changedAt: orNull(instant),
};
export const tenantThemesTable = defineTable('tenant_themes', columns);
export type ThemeRow = RowOf<typeof columns>;

export const createThemeStore = (store: Store) => tableIn(store, tenantThemesTable);
export type ThemeStore = ReturnType<typeof createThemeStore>;
