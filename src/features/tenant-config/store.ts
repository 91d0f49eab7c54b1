import type { Store } from '../../adapters/store/store.ts';
import { defineTable, id, integer, json, key, orNull, type RowOf, text } from '../../adapters/store/table.ts';
import type { ConfigFields } from './config-fields.ts';

const columns = {
  id: key(id),
  tenantId: id,
  /** The fields that differ from the default. */
  fields: json<Partial<Omit<ConfigFields, 'custom_env'>>>(),
  /** The entries of `custom_env` as JSON, sealed; null: none. */
  customEnv: orNull(text()),
  /** The tenant's secrets as JSON, sealed. */
  secrets: text(),
  /** Increases by one with each change, so that a change can name the revision it is based on. */
  revision: integer,
};
export type ConfigRow = RowOf<typeof columns>;

export const createConfigStore = (store: Store) => defineTable(store, 'tenant_configs', columns);
export type ConfigStore = ReturnType<typeof createConfigStore>;
