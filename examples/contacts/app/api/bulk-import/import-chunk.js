import { newPerson } from '../../shared/persons/fields.js';
import { savePersons } from '../../shared/persons/records.js';
import { personMatcher } from './person-matcher.js';

/**
 * Imports some rows of one batch. A row that an earlier run of the batch imported is counted again and left
 * unchanged, so an interrupted batch can be repeated with the same figures as one run.
 * @param {import('../../shared/database/database.js').Connection} connection of a transaction
 * @param {object[]} rows inputs for persons, with where they come from
 * @param {import('./request.js').BulkImportRequest} options
 */
export async function importChunk(connection, rows, { batch_id, skip_duplicates, update_existing, tags }) {
  const counts = { imported: 0, updated: 0, duplicates: 0 };
  const present = await importedRows(connection, batch_id, rows);
  const looks = skip_duplicates || update_existing;
  const candidates = rows.map((row) => newPerson({ ...row, tags: [...row.tags, ...tags] }));
  const matcher = await personMatcher(connection, looks ? candidates : []);
  const changed = new Map();

  for (const [index, candidate] of candidates.entries()) {
    const match = looks && matcher.find(candidate);
    if (present.has(candidate.import_row)) counts.imported += 1;
    else if (match && update_existing) {
      fillIn(match, { ...rows[index], tags: candidate.tags });
      changed.set(match.id, match);
      matcher.add(match);
      counts.updated += 1;
    } else if (match) counts.duplicates += 1;
    else {
      changed.set(candidate.id, candidate);
      matcher.add(candidate);
      counts.imported += 1;
    }
  }

  await savePersons(connection, [...changed.values()]);
  return counts;
}

async function importedRows(connection, batchId, rows) {
  const found = await connection.query(
    'SELECT import_row FROM persons WHERE import_batch_id = ? AND import_row BETWEEN ? AND ?',
    [batchId, rows[0].import_row, rows.at(-1).import_row],
  );
  return new Set(found.map((row) => row.import_row));
}

/** Values of the list win, missing values stay; the source of a person is not changed. */
function fillIn(person, { tags, custom_fields, original_data, ...row }) {
  const fields = Object.entries(row).filter(([name, value]) => value && !name.startsWith('import_'));
  Object.assign(person, Object.fromEntries(fields), {
    tags: [...new Set([...person.tags, ...tags])],
    custom_fields: { ...person.custom_fields, ...custom_fields },
    updated_at: new Date().toISOString(),
  });
}
