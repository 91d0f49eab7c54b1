import type { ModelAttributes } from 'sequelize';
import { DataTypes } from 'sequelize';
import { buildTables, type Migration, required, short, text } from './build.ts';

const tables: Record<string, ModelAttributes> = {
  /** Tags of tenants: the spelling and the colour of each; `folded` is the name without case and accents. */
  tags: {
    folded: { type: short, allowNull: false, primaryKey: true },
    name: required(DataTypes.STRING(80)),
    color: required(DataTypes.STRING(20)),
  },
};

/** Adds tags to tenants: a JSON list of names; null: none. */
export const tenantTags: Migration = {
  name: '0017-tenant-tags',
  async up(schema) {
    await buildTables(schema, tables, []);
    if (!('tags' in (await schema.describeTable('tenants'))))
      await schema.addColumn('tenants', 'tags', { type: text, allowNull: true });
  },
};
