import { newPerson } from './fields.js';
import { personFilter } from './filter.js';
import { loadPersons, savePersons } from './records.js';

/**
 * The people of the campaign.
 * @param {import('../database/database.js').Database} database
 */
export function personStore(database) {
  const read = async (id) => (await loadPersons(database, [id]))[0];

  return {
    read,

    /** @param {{search?: string, rules?: {field: string, value: string}[], limit: number, offset: number}} wanted */
    async list({ limit, offset, ...wanted }) {
      const { where, parameters } = personFilter(wanted);
      const [{ total }] = await database.query(`SELECT COUNT(*) AS total FROM persons WHERE ${where}`, parameters);
      const ids = await database.query(
        `SELECT id FROM persons WHERE ${where} ORDER BY last_name, first_name, id LIMIT ? OFFSET ?`,
        [...parameters, limit, offset],
      );
      const items = await loadPersons(
        database,
        ids.map((row) => row.id),
      );
      return { items, total };
    },

    async countByStatus() {
      const rows = await database.query('SELECT status, COUNT(*) AS count FROM persons GROUP BY status');
      const counts = Object.fromEntries(rows.map((row) => [row.status, row.count]));
      const byStatus = { active: counts.active ?? 0, inactive: counts.inactive ?? 0 };
      return { total: byStatus.active + byStatus.inactive, by_status: byStatus };
    },

    async create(input) {
      const person = newPerson(input);
      await database.transaction((connection) => savePersons(connection, [person]));
      return read(person.id);
    },

    /** Changes what `input` names and leaves the rest; undefined when there is no such person. */
    async update(id, input) {
      await database.transaction(async (connection) => {
        const [person] = await loadPersons(connection, [id]);
        if (!person) return;
        const changed = { ...person, ...input, updated_at: new Date().toISOString() };
        await savePersons(connection, [{ ...changed, tags: [...new Set(changed.tags)] }]);
      });
      return read(id);
    },

    /** @returns {Promise<boolean>} whether there was such a person */
    async remove(id) {
      return (await database.run('DELETE FROM persons WHERE id = ?', [id])) > 0;
    },
  };
}
