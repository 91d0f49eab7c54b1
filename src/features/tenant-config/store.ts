import { Op } from 'sequelize';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import { defineTable, id, instant, integer, json, key, orNull, type RowOf, text } from '../../adapters/store/table.ts';
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

const revisionColumns = {
  id: key(id),
  tenantId: id,
  revision: integer,
  fields: columns.fields,
  customEnv: columns.customEnv,
  /** Who made the change; null: not recorded. */
  username: orNull(text()),
  createdAt: instant,
};
/** The configuration as a change left it. */
export type RevisionRow = RowOf<typeof revisionColumns>;

export function createRevisionStore(store: Store) {
  const table = defineTable(store, 'tenant_config_revisions', revisionColumns);
  return {
    ...table,
    async removeUpTo(tenantId: string, revision: number, transaction: Transaction): Promise<void> {
      await table.remove({ tenantId, revision: { [Op.lte]: revision } }, { transaction });
    },
  };
}
export type RevisionStore = ReturnType<typeof createRevisionStore>;
