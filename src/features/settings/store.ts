import type { Store } from '../../adapters/store/store.ts';
import { defineTable, instant, key, type RowOf, tableIn, text } from '../../adapters/store/table.ts';

/** A changed setting. The values of secrets are sealed. */
const columns = { key: key(text(100)), value: text(), updatedAt: instant };
export const settingsTable = defineTable('settings', columns);
export type SettingRow = RowOf<typeof columns>;

/** The settings that were ever changed. */
export const createSettingStore = (store: Store) => tableIn(store, settingsTable);
export type SettingStore = ReturnType<typeof createSettingStore>;
