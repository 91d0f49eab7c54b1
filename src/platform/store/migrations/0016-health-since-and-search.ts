import { QueryTypes } from 'sequelize';
import { instant } from '../columns.ts';
import type { Migration } from './migration.ts';

const batchSize = 200;

interface Row {
  id: string;
  search_text: string;
}

/** As the search spelled text when this migration was written: without case, accents and compatibility forms. */
const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Adds the time of a tenant's last change of health, and removes accents from the text that searches look through. */
export const healthSinceAndSearch: Migration = {
  name: '0016-health-since-and-search',
  async up(schema) {
    const columns = await schema.describeTable('tenants');
    if (!columns.health_since) await schema.addColumn('tenants', 'health_since', { type: instant, allowNull: true });
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
