import { DataTypes, type Model } from 'sequelize';
import { instant } from '../../adapters/store/columns.ts';
import type { Store } from '../../adapters/store/store.ts';

/** A changed setting. The values of secrets are sealed. */
export interface SettingRow {
  key: string;
  value: string;
  updatedAt: Date;
}

/** The settings that were ever changed. */
export function createSettingStore({ sequelize }: Store) {
  const settings = sequelize.define<Model<SettingRow, SettingRow>>(
    'Setting',
    {
      key: { type: DataTypes.STRING(100), primaryKey: true },
      value: { type: DataTypes.TEXT, allowNull: false },
      updatedAt: { type: instant, allowNull: false },
    },
    { tableName: 'settings' },
  );
  return {
    all: async (): Promise<SettingRow[]> => (await settings.findAll()).map((row) => row.get()),
    async save(row: SettingRow): Promise<void> {
      await settings.upsert(row);
    },
  };
}

export type SettingStore = ReturnType<typeof createSettingStore>;
