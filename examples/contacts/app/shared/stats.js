const COUNTED = ['persons', 'events', 'tags', 'segments', 'communications'];
const MEBIBYTE = 1024 * 1024;

/**
 * How much there is of everything.
 * @param {import('./database/database.js').Database} database
 * @returns {Promise<Record<string, number>>} integers; a part of a megabyte counts as one
 */
export async function readStats(database) {
  const counts = COUNTED.map((table) => `(SELECT COUNT(*) FROM ${table}) AS ${table}`);
  const [row] = await database.query(`SELECT ${counts.join(', ')}`);
  return { ...row, database_size_mb: Math.ceil((await database.sizeInBytes()) / MEBIBYTE) };
}
