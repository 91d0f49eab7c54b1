import { readBody } from '../input.js';
import { importFile } from './import-file.js';
import { importList } from './import-list.js';
import { bulkImportRequest } from './request.js';

/**
 * One import at a time: two that run together could both find a person missing, and both add them.
 * @param {import('../../shared/database/database.js').Database} database
 * @param {string} directory
 * @param {AbortSignal} stopping
 * @returns {import('hono').Handler}
 */
export function bulkImportRoute(database, directory, stopping) {
  let last = Promise.resolve();
  return async (c) => {
    const request = await readBody(c, bulkImportRequest);
    const path = await importFile(directory, request.file_path);
    // The import also ends when the caller hangs up; what is in by then stays in, and a repeated batch goes on from it.
    const signal = AbortSignal.any([c.req.raw.signal, stopping]);
    const result = last.then(() => importList({ database, path, request, signal }));
    last = result.catch(() => {});
    return c.json(await result);
  };
}
