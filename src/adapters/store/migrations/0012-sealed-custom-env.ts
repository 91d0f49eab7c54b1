import type { ModelAttributes } from 'sequelize';
import { buildTables, type Migration, required, short, text } from './build.ts';

const tables: Record<string, ModelAttributes> = {
  /** Facts about the store itself, such as the check of its encryption key. */
  store_facts: {
    name: { ...required(short), primaryKey: true },
    value: required(text),
  },
};

/** The values of `custom_env` move out of `fields` when the manager, which has the key, starts next. */
export const sealedCustomEnv: Migration = {
  name: '0012-sealed-custom-env',
  async up(schema) {
    const present = await schema.describeTable('tenant_configs');
    if (!('custom_env' in present))
      await schema.addColumn('tenant_configs', 'custom_env', { type: text, allowNull: true });
    await buildTables(schema, tables, []);
  },
};
