import { basename } from 'node:path';
import { personInput } from '../../shared/persons/fields.js';
import { failure } from '../errors.js';
import { describe } from '../input.js';
import { columnMapping } from './column-mapping.js';
import { importChunk } from './import-chunk.js';
import { originalData } from './original-data.js';
import { openList } from './read-list.js';

/** Rows per transaction: few enough for memory and one statement, enough that commits do not matter. */
const CHUNK_ROWS = 200;
const MAX_ERRORS = 1000;

/**
 * Imports a list. An invalid row is counted and reported, and does not stop the others.
 * @param {object} options
 * @param {import('../../shared/database/database.js').Database} options.database
 * @param {string} options.path
 * @param {import('./request.js').BulkImportRequest} options.request
 * @param {AbortSignal} options.signal
 * @returns {Promise<object>} the figures, and the first thousand errors; row 1 is the first after the header
 */
export async function importList({ database, path, request, signal }) {
  const result = {
    batch_id: request.batch_id,
    total: 0,
    imported: 0,
    updated: 0,
    duplicates: 0,
    failed: 0,
    /** @type {{row: number, message: string}[]} */
    errors: [],
  };
  const origin = {
    import_source: (request.import_source || request.list_name || basename(path)).slice(0, 200),
    import_date: new Date(request.import_date ?? Date.now()).toISOString(),
    import_batch_id: request.batch_id,
    import_filename: (request.import_filename || basename(path)).slice(0, 255),
  };

  const { header, rows } = await openList(path);
  const toInput = columnMapping(header, request.mappings);
  const toOriginal = originalData(header);

  let chunk = [];
  const flush = async () => {
    if (signal.aborted) throw failure(503, `Stopped after ${result.total} rows; the batch can be repeated`);
    const counts = await database.transaction((connection) => importChunk(connection, chunk, request));
    for (const [name, count] of Object.entries(counts)) result[name] += count;
    chunk = [];
  };

  for await (const cells of rows) {
    result.total += 1;
    const parsed = personInput.safeParse(toInput(cells));
    if (parsed.success) {
      const import_row = request.row_offset + result.total;
      chunk.push({ ...parsed.data, ...origin, import_row, original_data: toOriginal(cells) });
    } else {
      result.failed += 1;
      if (result.errors.length < MAX_ERRORS) result.errors.push({ row: result.total, message: describe(parsed.error) });
    }
    if (chunk.length === CHUNK_ROWS) await flush();
  }
  if (chunk.length > 0) await flush();
  return result;
}
