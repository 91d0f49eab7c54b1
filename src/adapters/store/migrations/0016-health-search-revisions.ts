import { DataTypes, type ModelAttributeColumnOptions, type QueryInterface, QueryTypes } from 'sequelize';
import { instant } from '../columns.ts';
import type { Migration } from './build.ts';

const batchSize = 200;

interface Row {
  id: string;
  search_text: string;
}

/** The normalization of search text when this migration was written: without case, accents and compatibility forms. */
const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

async function addColumn(
  schema: QueryInterface,
  table: string,
  name: string,
  column: ModelAttributeColumnOptions,
): Promise<void> {
  if (!(name in (await schema.describeTable(table)))) await schema.addColumn(table, name, column);
}

/**
 * Adds when a tenant's health and its theme last changed, and how often its configuration did; removes accents from the
 * searched text.
 */
export const healthSearchRevisions: Migration = {
  name: '0016-health-search-revisions',
  async up(schema) {
    await addColumn(schema, 'tenants', 'health_since', { type: instant, allowNull: true });
    await addColumn(schema, 'tenant_themes', 'changed_at', { type: instant, allowNull: true });
    const revision = { type: DataTypes.INTEGER, allowNull: false, defaultValue: 1 };
    await addColumn(schema, 'tenant_configs', 'revision', revision);
    let after = '';
    for (;;) {
      const rows = await schema.sequelize.query<Row>(
        'SELECT id, search_text FROM tenants WHERE id > :after ORDER BY id LIMIT :batchSize',
        { type: QueryTypes.SELECT, replacements: { after, batchSize } },
      );
      for (const { id, search_text } of rows) {
        const text = folded(search_text);
        if (text !== search_text) await schema.bulkUpdate('tenants', { search_text: text }, { id });
      }
      const last = rows.at(-1);
      if (!last) return;
      after = last.id;
    }
  },
};
