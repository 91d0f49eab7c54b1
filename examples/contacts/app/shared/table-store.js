/**
 * Create, list, read, update and remove for a table without relations.
 * @param {import('./database/database.js').Database} database
 * @param {{table: string, columns: string[], order: string}} options
 */
export function tableStore(database, { table, columns, order }) {
  const all = ['id', ...columns, 'created_at'];
  const read = async (id) => (await database.query(`SELECT ${all.join(', ')} FROM ${table} WHERE id = ?`, [id]))[0];

  return {
    read,

    async list({ limit, offset }) {
      const [{ total }] = await database.query(`SELECT COUNT(*) AS total FROM ${table}`);
      const items = await database.query(
        `SELECT ${all.join(', ')} FROM ${table} ORDER BY ${order}, id LIMIT ? OFFSET ?`,
        [limit, offset],
      );
      return { items, total };
    },

    async create(input) {
      const id = crypto.randomUUID();
      const values = [id, ...columns.map((column) => input[column] ?? null), new Date().toISOString()];
      await database.run(`INSERT INTO ${table} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})`, values);
      return read(id);
    },

    async update(id, input) {
      const changed = columns.filter((column) => input[column] !== undefined);
      if (changed.length > 0)
        await database.run(`UPDATE ${table} SET ${changed.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`, [
          ...changed.map((column) => input[column]),
          id,
        ]);
      return read(id);
    },

    /** @returns {Promise<boolean>} whether there was such a row */
    async remove(id) {
      return (await database.run(`DELETE FROM ${table} WHERE id = ?`, [id])) > 0;
    },
  };
}
