import { newPerson, personInput } from '../../shared/persons/fields.js';
import { columnMapping } from './column-mapping.js';
import { personMatcher } from './person-matcher.js';
import { openList } from './read-list.js';

const CHUNK_ROWS = 200;
const MAX_ROWS_NAMED = 1000;

/**
 * Finds the rows of a list whose people exist already. Changes nothing.
 * @param {object} options
 * @param {import('../../shared/database/database.js').Database} options.database
 * @param {string} options.path
 * @param {Record<string, string>} options.mappings
 * @param {AbortSignal} options.signal
 * @returns {Promise<{total: number, duplicates: number, rows: number[]}>} the first thousand rows; row 1 is the first after the header
 */
export async function checkList({ database, path, mappings, signal }) {
  const { header, rows } = await openList(path);
  const toInput = columnMapping(header, mappings);
  const result = { total: 0, duplicates: 0, rows: [] };

  let chunk = [];
  const flush = async () => {
    signal.throwIfAborted();
    const matcher = await personMatcher(
      database,
      chunk.map(({ person }) => person),
    );
    const known = chunk.filter(({ person }) => matcher.find(person));
    result.duplicates += known.length;
    result.rows.push(...known.map(({ row }) => row).slice(0, MAX_ROWS_NAMED - result.rows.length));
    chunk = [];
  };

  for await (const cells of rows) {
    result.total += 1;
    const parsed = personInput.safeParse(toInput(cells));
    if (parsed.success) chunk.push({ row: result.total, person: newPerson(parsed.data) });
    if (chunk.length === CHUNK_ROWS) await flush();
  }
  if (chunk.length > 0) await flush();
  return result;
}
