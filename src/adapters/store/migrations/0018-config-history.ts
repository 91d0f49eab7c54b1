import { DataTypes, type ModelAttributes } from 'sequelize';
import { instant } from '../columns.ts';
import { buildTables, id, type Migration, required, short, tenantId, text } from './build.ts';

const tables: Record<string, ModelAttributes> = {
  /** A tenant's configuration after each change. */
  tenant_config_revisions: {
    id,
    tenant_id: tenantId,
    revision: required(DataTypes.INTEGER),
    fields: required(text),
    /** Sealed like the configuration's own; null: none. */
    custom_env: { type: text, allowNull: true },
    /** Who made the change; null: not recorded. */
    username: { type: short, allowNull: true },
    created_at: required(instant),
  },
};

/** Adds the history of tenants' configurations. */
export const configHistory: Migration = {
  name: '0018-config-history',
  up: (schema) => buildTables(schema, tables, [['tenant_config_revisions', ['tenant_id', 'revision'], 'unique']]),
};
