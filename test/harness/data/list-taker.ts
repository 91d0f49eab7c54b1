import { type FixtureRepository, makeFixtureRepository } from './fixture-repository.ts';

/**
 * A tenant application with a controllable bulk import. `/state` shows its requests; `/faults` sets the failures of
 * the next calls.
 */
const server = `
const http = require('node:http');
const { existsSync, readFileSync, readdirSync } = require('node:fs');
const role = process.argv[2];
const json = (response, status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const rows = new Map();
const calls = [];
const removals = [];
let faults = [];
let held = [];
const readBody = async (request) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text ? JSON.parse(text) : undefined;
};
async function removeBatch(batch, response) {
  if (faults[0]?.removes !== true) return json(response, 404, { detail: 'nothing here' });
  const fault = faults.shift();
  removals.push(batch);
  if (fault.hold) await new Promise((resolve) => held.push(resolve));
  const own = [...rows.keys()].filter((key) => key.startsWith(batch + ':'));
  for (const key of own) rows.delete(key);
  json(response, 200, { batch_id: batch, removed: own.length, kept: 0 });
}
async function bulkImport(request, response) {
  const body = await readBody(request);
  const fault = faults.shift() ?? {};
  calls.push({ ...body, fault, there: existsSync(body.file_path), files: readdirSync(process.env.IMPORT_DIR) });
  if (fault.hold) await new Promise((resolve) => held.push(resolve));
  if (fault.status) return json(response, fault.status, { detail: fault.detail ?? 'instructed failure' });
  if (fault.hangUp) return response.destroy();
  if (!existsSync(body.file_path)) return json(response, 400, { detail: 'no such file' });
  const [header, ...lines] = readFileSync(body.file_path, 'utf8').trimEnd().split('\\n');
  const names = header.split(',');
  const answer = { batch_id: body.batch_id, total: lines.length, imported: 0, updated: 0, duplicates: 0, failed: 0, errors: [] };
  lines.forEach((line, index) => {
    if (fault.refuse?.includes(index + 1)) {
      answer.failed += 1;
      answer.errors.push({ row: index + 1, message: 'instructed to reject =this' });
      return;
    }
    answer.imported += 1;
    const cells = line.split(',');
    const key = body.batch_id + ':' + (body.row_offset + index + 1);
    if (!rows.has(key)) rows.set(key, Object.fromEntries(names.map((name, at) => [name, cells[at]])));
    else if (fault.duplicates) answer.duplicates += 1;
  });
  if (fault.lose) return response.destroy();
  if (fault.garbage) return response.end('<html>');
  json(response, 200, { ...answer, ...fault.answer });
}
http.createServer(async (request, response) => {
  const path = request.url.split('?')[0];
  if (role === 'frontend') return response.end('<h1>' + process.env.APP_NAME + '</h1>');
  if (path === '/api/health') return json(response, 200, { status: 'healthy' });
  if (path === '/docs') return response.end('docs');
  if (path === '/state') return json(response, 200, { rows: [...rows], calls, removals, files: readdirSync(process.env.IMPORT_DIR) });
  if (path === '/faults') { faults = await readBody(request); return json(response, 200, {}); }
  if (path === '/forget') { rows.clear(); calls.length = 0; removals.length = 0; return json(response, 200, {}); }
  if (path === '/release') { for (const go of held.splice(0)) go(); return json(response, 200, {}); }
  const keys = (process.env.API_KEYS ?? '').split(',');
  if (!keys.includes(request.headers['x-api-key'] ?? '')) return json(response, 401, { detail: 'wrong key' });
  if (path === '/api/persons/count') return json(response, 200, { total: rows.size, by_status: { active: rows.size, inactive: 0 } });
  if (path === '/api/persons/bulk-import' && request.method === 'POST') return bulkImport(request, response);
  if (path.startsWith('/api/persons/bulk-import/') && request.method === 'DELETE') return removeBatch(path.split('/').pop(), response);
  json(response, 404, { detail: 'nothing here' });
}).listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit(0));
`;

/** The failure of one call of the bulk import, or permission for one call to remove a batch. */
export interface Fault {
  /** The response waits until `release`. */
  hold?: boolean;
  status?: number;
  detail?: string;
  hangUp?: boolean;
  /** The work is done, but its response is lost. */
  lose?: boolean;
  garbage?: boolean;
  /** The next call removes a batch, which the application does not do otherwise. */
  removes?: true;
  /** Rows of the file, from 1. */
  refuse?: number[];
  answer?: Record<string, unknown>;
}

export interface TakerCall {
  file_path: string;
  mappings: Record<string, string>;
  batch_id: string;
  list_name: string;
  skip_duplicates: boolean;
  update_existing: boolean;
  tags: string[];
  part: number;
  row_offset: number;
  import_source: string;
  import_filename: string;
  import_date: string;
  there: boolean;
  files: string[];
}

interface TakerState {
  rows: [key: string, row: Record<string, string>][];
  calls: TakerCall[];
  /** Removed batches. */
  removals: string[];
  files: string[];
}

/** A repository of it, at v1.2.0. */
export async function makeListTakerRepository(path: string): Promise<FixtureRepository> {
  const repository = await makeFixtureRepository(path);
  await repository.release('v1.2.0', { 'server.js': server });
  return repository;
}

/** The running application, as a test sees it. */
export function listTaker(port: number) {
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return (await fetch(`http://127.0.0.1:${port}${path}`, init)).json();
  };
  return {
    state: async () => (await ask('/state')) as TakerState,
    faults: (...faults: Fault[]) => ask('/faults', faults),
    forget: () => ask('/forget'),
    release: () => ask('/release'),
  };
}
