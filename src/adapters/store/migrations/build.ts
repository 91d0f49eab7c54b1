import { DataTypes, type ModelAttributes, type QueryInterface } from 'sequelize';
import { idType } from '../columns.ts';

/** One change of the schema. A name, once released, never changes. */
export interface Migration {
  name: string;
  up(schema: QueryInterface): Promise<void>;
}

/** Helpers shared by migrations. The result of a released migration must not change: add helpers here, change none. */
export const required = <T>(type: T) => ({ type, allowNull: false }) as const;
export const id = { type: idType, primaryKey: true, allowNull: false } as const;
/** In SQLite any type whose name contains TEXT is text. */
export const text = 'LONGTEXT';
export const short = DataTypes.STRING(255);

/** A tenant's companion rows are deleted with it. */
export const tenantId = {
  type: idType,
  allowNull: false,
  references: { model: 'tenants', key: 'id' },
  onDelete: 'CASCADE',
} as const;

export type Index = [table: string, fields: string[], unique?: 'unique'];

/** May be repeated after an interruption: MySQL and MariaDB have no transactions for schema changes. */
export async function buildTables(
  schema: QueryInterface,
  tables: Record<string, ModelAttributes>,
  indexes: readonly Index[],
): Promise<void> {
  for (const [name, columns] of Object.entries(tables)) {
    await schema.createTable(name, columns, { charset: 'utf8mb4', collate: 'utf8mb4_bin' });
  }
  for (const [table, fields, unique] of indexes) {
    const name = `${table}_${fields.join('_')}`;
    if ((await indexNames(schema, table)).includes(name)) continue;
    await schema.addIndex(table, fields, { name, unique: unique === 'unique' });
  }
}

async function indexNames(schema: QueryInterface, table: string): Promise<string[]> {
  return ((await schema.showIndex(table)) as { name: string }[]).map((index) => index.name);
}
