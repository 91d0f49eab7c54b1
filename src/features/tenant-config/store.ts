import { Op } from 'sequelize';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import {
  defineTable,
  id,
  instant,
  integer,
  json,
  key,
  orNull,
  ownedBy,
  type RowOf,
  tableIn,
  text,
  unique,
  withDefault,
} from '../../adapters/store/table.ts';
import type { ConfigFields } from './config-fields.ts';

const columns = {
  id: key(id),
  tenantId: unique(ownedBy('tenants')),
  /** The fields that differ from the default. */
  fields: json<Partial<Omit<ConfigFields, 'custom_env'>>>(),
  /** The entries of `custom_env` as JSON, sealed; null: none. */
  customEnv: orNull(text()),
  /** The tenant's secrets as JSON, sealed. */
  secrets: text(),
  /** Increases by one with each change, so that a change can name the revision it is based on. */
  revision: withDefault(1, integer),
};
export const tenantConfigsTable = defineTable('tenant_configs', columns);
export type ConfigRow = RowOf<typeof columns>;

export const createConfigStore = (store: Store) => tableIn(store, tenantConfigsTable);
export type ConfigStore = ReturnType<typeof createConfigStore>;

const revisionColumns = {
  id: key(id),
  tenantId: ownedBy('tenants'),
  revision: integer,
  fields: columns.fields,
  customEnv: columns.customEnv,
  /** Who made the change; null: not recorded. */
  username: orNull(text()),
  createdAt: instant,
};
export const tenantConfigRevisionsTable = defineTable('tenant_config_revisions', revisionColumns, {
  unique: [['tenantId', 'revision']],
});
/** The configuration as a change left it. */
export type RevisionRow = RowOf<typeof revisionColumns>;

export function createRevisionStore(store: Store) {
  const table = tableIn(store, tenantConfigRevisionsTable);
  return {
    ...table,
    async removeUpTo(tenantId: string, revision: number, transaction: Transaction): Promise<void> {
      await table.remove({ tenantId, revision: { [Op.lte]: revision } }, { transaction });
    },
  };
}
export type RevisionStore = ReturnType<typeof createRevisionStore>;
