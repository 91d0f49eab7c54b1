import { Hono } from 'hono';
import { check, readBody } from '../input.js';
import { checkList } from './check-list.js';
import { importFile } from './import-file.js';
import { importList } from './import-list.js';
import { removeBatch } from './remove-batch.js';
import { batchId, bulkImportRequest, checkRequest } from './request.js';

/**
 * Bulk changes run one at a time: two concurrent imports could both find a person missing and add them twice.
 * @param {import('../../shared/database/database.js').Database} database
 * @param {string} directory
 * @param {AbortSignal} stopping
 */
export function bulkImportRoutes(database, directory, stopping) {
  const routes = new Hono();
  let last = Promise.resolve();
  const inTurn = (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
  // Work also ends when the caller disconnects. Imported rows stay, and a repeated batch continues after them.
  const signalOf = (c) => AbortSignal.any([c.req.raw.signal, stopping]);

  routes.post('/', async (c) => {
    const request = await readBody(c, bulkImportRequest);
    const path = await importFile(directory, request.file_path);
    const signal = signalOf(c);
    return c.json(await inTurn(() => importList({ database, path, request, signal })));
  });

  routes.post('/check', async (c) => {
    const { file_path, mappings } = await readBody(c, checkRequest);
    const path = await importFile(directory, file_path);
    return c.json(await checkList({ database, path, mappings, signal: signalOf(c) }));
  });

  routes.delete('/:batch_id', async (c) => {
    const batch = check(batchId, c.req.param('batch_id'));
    const signal = signalOf(c);
    return c.json(await inTurn(() => removeBatch(database, batch, signal)));
  });
  return routes;
}
