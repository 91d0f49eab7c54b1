import type { Model } from 'sequelize';
import { DataTypes } from 'sequelize';
import { idType, jsonColumn } from '../../adapters/store/columns.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import type { ConfigFields } from './config-fields.ts';

export interface ConfigRow {
  id: string;
  tenantId: string;
  /** The fields that differ from the default. */
  fields: Partial<Omit<ConfigFields, 'custom_env'>>;
  /** The entries of `custom_env` as JSON, sealed; null: none. */
  customEnv: string | null;
  /** The tenant's secrets as JSON, sealed. */
  secrets: string;
  /** Increases by one with each change, so that a change can name the revision it is based on. */
  revision: number;
}

/** The table `tenant_configs`. */
export function createConfigStore({ sequelize }: Store) {
  const configs = sequelize.define<Model<ConfigRow, ConfigRow>>(
    'TenantConfig',
    {
      id: { type: idType, primaryKey: true },
      tenantId: idType,
      fields: jsonColumn('fields'),
      customEnv: DataTypes.TEXT,
      secrets: DataTypes.TEXT,
      revision: DataTypes.INTEGER,
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
    async save(
      tenantId: string,
      changes: Pick<ConfigRow, 'fields' | 'customEnv'> & Partial<Pick<ConfigRow, 'revision'>>,
      transaction: Transaction,
    ): Promise<void> {
      await configs.update(changes, { where: { tenantId }, transaction });
    },
    all: async (transaction: Transaction): Promise<ConfigRow[]> =>
      (await configs.findAll({ transaction })).map((row) => row.get()),
  };
}

export type ConfigStore = ReturnType<typeof createConfigStore>;
