import { placeholders } from '../../shared/database/insert-rows.js';
import { failure } from '../errors.js';

/** People removed in one transaction. */
const CHUNK_PEOPLE = 500;

/**
 * Removes the people that a batch added. People with communications since then stay, and so do the batch's changes to
 * existing people. Can be repeated.
 * @param {import('../../shared/database/database.js').Database} database
 * @param {string} batchId
 * @param {AbortSignal} signal
 * @returns {Promise<{batch_id: string, removed: number, kept: number}>}
 */
export async function removeBatch(database, batchId, signal) {
  let removed = 0;
  for (;;) {
    if (signal.aborted) throw failure(503, `Stopped after ${removed} people; the rest can be removed by asking again`);
    const some = await database.transaction((connection) => removeSome(connection, batchId));
    removed += some;
    if (some < CHUNK_PEOPLE) break;
  }
  const [{ kept }] = await database.query('SELECT COUNT(*) AS kept FROM persons WHERE import_batch_id = ?', [batchId]);
  return { batch_id: batchId, removed, kept };
}

async function removeSome(connection, batchId) {
  const rows = await connection.query(
    `SELECT id FROM persons WHERE import_batch_id = ?
     AND NOT EXISTS (SELECT 1 FROM communications WHERE person_id = persons.id) LIMIT ?`,
    [batchId, CHUNK_PEOPLE],
  );
  const ids = rows.map((row) => row.id);
  if (ids.length > 0) await connection.run(`DELETE FROM persons WHERE id IN ${placeholders(ids)}`, ids);
  return ids.length;
}
