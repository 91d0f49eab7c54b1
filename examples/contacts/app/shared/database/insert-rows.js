/**
 * Inserts many rows with one statement.
 * @param {import('./database.js').Connection} connection
 * @param {string} table
 * @param {string[]} columns
 * @param {unknown[][]} rows
 * @param {{present?: 'refuse' | 'ignore' | 'overwrite'}} [options] what becomes of rows that are there already
 */
export async function insertRows(connection, table, columns, rows, { present = 'refuse' } = {}) {
  if (rows.length === 0) return;
  const { insertIgnore, overwrite } = connection.words;
  const verb = present === 'ignore' ? insertIgnore : 'INSERT';
  const ending = present === 'overwrite' ? overwrite(columns.filter((name) => name !== 'id')) : '';
  const row = placeholders(columns);
  await connection.run(
    `${verb} INTO ${table} (${columns.join(', ')}) VALUES ${rows.map(() => row).join(', ')}${ending}`,
    rows.flat(),
  );
}

/**
 * `(?, ?, ?)`, one for each value; for IN as well.
 * @param {unknown[]} values at least one
 */
export function placeholders(values) {
  return `(${values.map(() => '?').join(', ')})`;
}
