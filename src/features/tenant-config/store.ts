import type { Model } from 'sequelize';
import { DataTypes } from 'sequelize';
import { idType, jsonColumn } from '../../platform/store/columns.ts';
import type { Store, Transaction } from '../../platform/store/store.ts';
import type { ConfigFields } from './config-fields.ts';

export interface ConfigRow {
  id: string;
  tenantId: string;
  /** What differs from the default. */
  fields: Partial<ConfigFields>;
  /** The tenant's secrets as JSON, sealed. */
  secrets: string;
}

/** The table `tenant_configs`. */
export function createConfigStore({ sequelize }: Store) {
  const configs = sequelize.define<Model<ConfigRow, ConfigRow>>(
    'TenantConfig',
    {
      id: { type: idType, primaryKey: true },
      tenantId: idType,
      fields: jsonColumn('fields'),
      secrets: DataTypes.TEXT,
    },
    { tableName: 'tenant_configs' },
  );
  return {
    async of(tenantId: string, transaction?: Transaction): Promise<ConfigRow | undefined> {
      return (await configs.findOne({ where: { tenantId }, ...(transaction ? { transaction } : {}) }))?.get();
    },
    async insert(row: ConfigRow, transaction: Transaction): Promise<void> {
      await configs.create(row, { transaction });
    },
    async saveFields(tenantId: string, fields: Partial<ConfigFields>, transaction: Transaction): Promise<void> {
      await configs.update({ fields }, { where: { tenantId }, transaction });
    },
  };
}

export type ConfigStore = ReturnType<typeof createConfigStore>;
