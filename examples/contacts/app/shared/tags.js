import { z } from 'zod';
import { insertRows, placeholders } from './database/insert-rows.js';
import { tableStore } from './table-store.js';

export const tagInput = z.strictObject({ name: z.string().trim().min(1).max(100) });

/** @param {import('./database/database.js').Database} database */
export const tagStore = (database) => tableStore(database, { table: 'tags', columns: ['name'], order: 'name' });

/**
 * The ids of tags by their names; missing tags are created.
 * @param {import('./database/database.js').Connection} connection
 * @param {string[]} names each once
 * @returns {Promise<Map<string, string>>}
 */
export async function tagIds(connection, names) {
  if (names.length === 0) return new Map();
  const now = new Date().toISOString();
  // Always in one order, so that two transactions that create the same tags wait for each other instead of deadlocking.
  const rows = names.toSorted().map((name) => [crypto.randomUUID(), name, now]);
  await insertRows(connection, 'tags', ['id', 'name', 'created_at'], rows, { present: 'ignore' });
  const tags = await connection.query(`SELECT id, name FROM tags WHERE name IN ${placeholders(names)}`, names);
  return new Map(tags.map((tag) => [tag.name, tag.id]));
}
