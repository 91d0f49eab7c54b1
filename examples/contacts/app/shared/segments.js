import { z } from 'zod';
import { insertRows } from './database/insert-rows.js';
import { RULE_FIELDS } from './persons/filter.js';
import { tableStore } from './table-store.js';

/** A segment is a query, not a list: its members are the people who match all of its rules now. */
export const segmentInput = z.strictObject({
  name: z.string().trim().min(1).max(100),
  description: z.string().trim().max(10_000).nullable().optional(),
  rules: z
    .array(z.strictObject({ field: z.enum(RULE_FIELDS), value: z.string().trim().min(1).max(200) }))
    .min(1)
    .refine((rules) => new Set(rules.map((rule) => rule.field)).size === rules.length, 'one rule a field'),
});

/** @param {import('./database/database.js').Database} database */
export function segmentStore(database) {
  const table = tableStore(database, { table: 'segments', columns: ['name', 'description'], order: 'name' });

  const withRules = async (segment) =>
    segment && {
      ...segment,
      rules: await database.query('SELECT field, value FROM segment_rules WHERE segment_id = ? ORDER BY field', [
        segment.id,
      ]),
    };
  const setRules = (id, rules) =>
    database.transaction(async (connection) => {
      await connection.run('DELETE FROM segment_rules WHERE segment_id = ?', [id]);
      const rows = rules.map((rule) => [id, rule.field, rule.value]);
      await insertRows(connection, 'segment_rules', ['segment_id', 'field', 'value'], rows);
    });

  const read = async (id) => withRules(await table.read(id));

  return {
    read,
    remove: table.remove,
    async list(page) {
      const { items, total } = await table.list(page);
      return { items: await Promise.all(items.map(withRules)), total };
    },
    async create(input) {
      const { id } = await table.create(input);
      await setRules(id, input.rules);
      return read(id);
    },
    async update(id, input) {
      const segment = await table.update(id, input);
      if (segment && input.rules) await setRules(id, input.rules);
      return read(id);
    },
  };
}
