import { insertRows, placeholders } from '../database/insert-rows.js';
import { tagIds } from '../tags.js';
import { COLUMNS } from './columns.js';
import { JSON_FIELDS } from './fields.js';
import { matchKeys } from './match-keys.js';

/** @typedef {import('../database/database.js').Connection} Connection */
/** @typedef {import('./fields.js').Person} Person */

/**
 * Writes people, new and changed ones, with their tags and match keys.
 * @param {Connection} connection of a transaction
 * @param {Person[]} people
 */
export async function savePersons(connection, people) {
  if (people.length === 0) return;
  const ids = people.map((person) => person.id);
  const toRow = (person) =>
    COLUMNS.map((column) => (JSON_FIELDS.includes(column) ? JSON.stringify(person[column]) : person[column]) ?? null);
  await insertRows(connection, 'persons', COLUMNS, people.map(toRow), { present: 'overwrite' });

  await connection.run(`DELETE FROM person_keys WHERE person_id IN ${placeholders(ids)}`, ids);
  const keys = people.flatMap((person) => matchKeys(person).map((key) => [key, person.id]));
  await insertRows(connection, 'person_keys', ['match_key', 'person_id'], keys);

  await connection.run(`DELETE FROM person_tags WHERE person_id IN ${placeholders(ids)}`, ids);
  const tags = await tagIds(connection, [...new Set(people.flatMap((person) => person.tags))]);
  const links = people.flatMap((person) => person.tags.map((tag) => [person.id, tags.get(tag)]));
  await insertRows(connection, 'person_tags', ['person_id', 'tag_id'], links);
}

/**
 * @param {Connection} connection
 * @param {string[]} ids those of no person are passed over
 * @returns {Promise<Person[]>}
 */
export async function loadPersons(connection, ids) {
  if (ids.length === 0) return [];
  const rows = await connection.query(
    `SELECT ${COLUMNS.join(', ')} FROM persons WHERE id IN ${placeholders(ids)} ORDER BY last_name, first_name, id`,
    ids,
  );
  // A left join, so that MariaDB reads the people first; starting with a tag, it reads everyone who has it.
  const links = await connection.query(
    `SELECT person_id, name FROM person_tags LEFT JOIN tags ON tags.id = tag_id
     WHERE person_id IN ${placeholders(ids)} ORDER BY name`,
    ids,
  );
  const tags = Map.groupBy(links, (link) => link.person_id);
  return rows.map((row) => {
    const person = { ...row, tags: (tags.get(row.id) ?? []).map((link) => link.name) };
    for (const field of JSON_FIELDS) person[field] = row[field] && JSON.parse(row[field]);
    return { ...person, custom_fields: person.custom_fields ?? {} };
  });
}
