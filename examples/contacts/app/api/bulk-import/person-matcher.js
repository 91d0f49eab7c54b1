import { placeholders } from '../../shared/database/insert-rows.js';
import { areDistinct, matchKeys } from '../../shared/persons/match-keys.js';
import { loadPersons } from '../../shared/persons/records.js';

/**
 * Finds the person that a candidate is, among the people in the database and those added during this import.
 * @param {import('../../shared/database/database.js').Connection} connection
 * @param {import('../../shared/persons/fields.js').Person[]} candidates
 */
export async function personMatcher(connection, candidates) {
  const index = new Map();
  const add = (person) => {
    for (const key of matchKeys(person)) index.set(key, [...(index.get(key) ?? []), person]);
  };

  const keys = [...new Set(candidates.flatMap(matchKeys))];
  if (keys.length > 0) {
    const rows = await connection.query(
      `SELECT DISTINCT person_id FROM person_keys WHERE match_key IN ${placeholders(keys)}`,
      keys,
    );
    const ids = rows.map((row) => row.person_id);
    for (const person of await loadPersons(connection, ids)) add(person);
  }

  return {
    add,
    find: (candidate) =>
      matchKeys(candidate)
        .flatMap((key) => index.get(key) ?? [])
        .find((person) => !areDistinct(person, candidate)),
  };
}
