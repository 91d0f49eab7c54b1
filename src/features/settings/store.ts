import type { Store } from '../../adapters/store/store.ts';
import { defineTable, instant, key, type RowOf, text } from '../../adapters/store/table.ts';

/** A changed setting. The values of secrets are sealed. */
const columns = { key: key(text(100)), value: text(), updatedAt: instant };
export type SettingRow = RowOf<typeof columns>;

/** The settings that were ever changed. */
export const createSettingStore = (store: Store) => defineTable(store, 'settings', columns);
export type SettingStore = ReturnType<typeof createSettingStore>;
