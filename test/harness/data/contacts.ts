import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import type { App } from '../app/app.ts';

/** A list of the sample application's own, with as many people. */
export const supporters = {
  path: join(import.meta.dirname, '..', '..', '..', 'examples', 'contacts', 'lists', 'supporters.csv'),
  people: 40,
};

const sameNames = ['first_name', 'last_name', 'address1', 'city', 'state', 'zip', 'cell_phone', 'email', 'precinct'];

export interface ImportAnswer {
  batch_id: string;
  total: number;
  imported: number;
  updated: number;
  duplicates: number;
  failed: number;
  errors: unknown[];
}

export const importSupporters = (app: App, tenantId: string): Promise<ImportAnswer> =>
  importList(app, tenantId, createReadStream(supporters.path));

/** A list of a number of people with the columns of the supporters' list, each different. */
export function* listOf(people: number): Generator<Buffer> {
  yield Buffer.from(`${sameNames.join(',')}\n`);
  for (let n = 1; n <= people; n += 1) {
    const phone = `406-555-${String(n).padStart(5, '0')}`;
    yield Buffer.from(
      `First${n},Müller-${n},${n} Main Street,Helena,MT,59601,${phone},person${n}@example.org,${n % 40}\n`,
    );
  }
}

/** Loads a list as the manager does: the file into IMPORT_DIR, then the tenant's own bulk import with its key. */
export async function importList(
  app: App,
  tenantId: string,
  content: AsyncIterable<Uint8Array>,
): Promise<ImportAnswer> {
  const { runtime } = app.manager.app;
  const tenant = await app.manager.app.tenants.get(tenantId);
  const space = spaceOf(tenant);
  const name = `supporters-${tenant.slug}.csv`;
  const file_path = await runtime.putImportFile(space, name, content);
  try {
    const { host, port } = await runtime.address({ tenant: space, role: 'api' }, tenant.backendPort);
    const response = await fetch(`http://${host}:${port}/api/persons/bulk-import`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': await keyOf(tenant.directory) },
      body: JSON.stringify({
        file_path,
        batch_id: `batch-${tenant.slug}`,
        list_name: 'Supporters',
        mappings: Object.fromEntries(sameNames.map((field) => [field, field])),
      }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`The import was refused: ${response.status} ${text}`);
    return JSON.parse(text);
  } finally {
    await runtime.removeImportFile(space, name);
  }
}

/** The first of the tenant's keys, from the environment file that the manager wrote. */
export async function keyOf(directory: string): Promise<string> {
  const { API_KEYS = '' } = parseEnv(await readFile(join(directory, '.env'), 'utf8'));
  return API_KEYS.split(',')[0] ?? '';
}

/** The number of people in the tenant, requested through the manager. */
export async function countPeople(app: App, tenantId: string): Promise<number> {
  const { status, body } = await app.call<{ total: number }>('GET', `/api/tenants/${tenantId}/remote/persons/count`);
  if (status !== 200) throw new Error(`The people could not be counted: ${status} ${JSON.stringify(body)}`);
  return body.total;
}
