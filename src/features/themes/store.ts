import type { Model } from 'sequelize';
import { idType, instant, jsonColumn } from '../../adapters/store/columns.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import type { Logos } from './editor/logos.ts';
import type { ThemeColours } from './editor/palette.ts';

/** The contents of a theme. */
export interface ThemeFields {
  colours: ThemeColours;
  logos: Logos;
  aiGenerated: boolean;
  sourceWebsite: string | null;
}

export interface ThemeRow {
  id: string;
  tenantId: string;
  fields: ThemeFields;
  createdAt: Date;
  /** null: the theme is the one that the tenant was registered with. */
  changedAt: Date | null;
}

/** The table `tenant_themes`. */
export function createThemeStore({ sequelize }: Store) {
  const themes = sequelize.define<Model<ThemeRow, ThemeRow>>(
    'TenantTheme',
    {
      id: { type: idType, primaryKey: true },
      tenantId: idType,
      fields: jsonColumn('fields'),
      createdAt: instant,
      changedAt: instant,
    },
    { tableName: 'tenant_themes' },
  );
  return {
    async of(tenantId: string, transaction?: Transaction): Promise<ThemeRow | undefined> {
      return (await themes.findOne({ where: { tenantId }, ...(transaction ? { transaction } : {}) }))?.get();
    },
    async insert(row: ThemeRow, transaction: Transaction): Promise<void> {
      await themes.create(row, { transaction });
    },
    async saveFields(
      tenantId: string,
      fields: ThemeFields,
      changedAt: Date | null,
      transaction: Transaction,
    ): Promise<void> {
      await themes.update({ fields, changedAt }, { where: { tenantId }, transaction });
    },
  };
}

export type ThemeStore = ReturnType<typeof createThemeStore>;
