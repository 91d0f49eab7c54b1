import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { keyOf } from '../../harness/data/contacts.ts';
import { execute, listPath, upload } from '../../harness/data/lists.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';

let directory: string;
let app: App;
/** Deployed: the sample application. */
let tenant: TenantAnswer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-corrections-'));
  const { path } = await makeContactsRepository(join(directory, 'repository'));
  app = await startApp({ healthTimeoutMs: 20_000, importing: { rowsPerPart: 3, tenantTimeoutMs: 10_000 } });
  tenant = await makeTenant(app, path);
  expect(await deploy(app, tenant.id, { target_version: 'v1.0.0' })).toMatchObject({ status: 'success', error: null });
  tenant = await getTenant(app, tenant.id);
});
afterAll(async () => {
  await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

const call = <T = Record<string, unknown>>(method: string, rest: string, options = {}) =>
  app.call<T>(method, listPath(tenant.id, rest), options);
const correct = (id: string, ...corrections: object[]) =>
  call<{ corrections: { id: number }[] }>('POST', `${id}/corrections`, { body: { corrections } });

const fields = { First: 'first_name', Last: 'last_name', Phone: 'cell_phone', Email: 'email', City: 'city' };
/** A list with mappings. */
async function ready(...lines: string[]): Promise<string> {
  const { job_id } = await upload(app, tenant.id, `${Object.keys(fields).join(',')}\n${lines.join('\n')}\n`);
  const mappings = Object.entries(fields).map(([source, target]) => ({ source, target }));
  expect((await call('PUT', `${job_id}/mappings`, { body: { mappings } })).status).toBe(200);
  return job_id;
}

interface Person {
  first_name: string;
  city: string;
  email: string;
  cell_phone: string;
  original_data: Record<string, string>;
}
/** Requested from the tenant itself. */
async function persons(search: string): Promise<Person[]> {
  const response = await fetch(
    `http://127.0.0.1:${tenant.backend_port}/api/persons?search=${encodeURIComponent(search)}`,
    { headers: { 'x-api-key': await keyOf(tenant.directory) } },
  );
  return ((await response.json()) as { persons: Person[] }).persons;
}

describe('corrections', () => {
  test('change cells for the check and the import; the tenant also gets what the file says', async () => {
    const id = await ready(
      'Ann,,312-555-0170,ann@example.org,Alton',
      'Bea,Quill,ask her mother,bea(at)example.org,Altn',
      'Cy,Quill,312-555-0172,cy(at)example.org,altn',
    );
    const before = await call<{ cells: object }>('POST', `${id}/validate`);
    expect(before.body).toMatchObject({ error_count: 1, warning_count: 2 });
    expect(before.body.cells).toBeUndefined();
    const found = await call<{ cells: object }>('GET', `${id}/findings`);
    expect(found.body.cells).toEqual({
      columns: Object.keys(fields),
      rows: [
        { row: 1, cells: ['Ann', '', '312-555-0170', 'ann@example.org', 'Alton'] },
        { row: 2, cells: ['Bea', 'Quill', 'ask her mother', 'bea(at)example.org', 'Altn'] },
        { row: 3, cells: ['Cy', 'Quill', '312-555-0172', 'cy(at)example.org', 'altn'] },
      ],
    });

    const added = await correct(
      id,
      { column: 'Last', row: 1, value: 'Quill' },
      { column: 'Phone', find: ' ask her mother ', replace: '312-555-0171', match: 'cell' },
      { column: 'Email', find: '(at)', replace: '@', match: 'text' },
      { column: 'City', find: 'Altn', replace: 'Alton', match: 'cell' },
    );
    expect(added).toMatchObject({ status: 200, body: { corrections: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }] } });
    // What was found without them is gone.
    expect((await call('GET', id)).body).toMatchObject({ status: 'ready', validation_result: null });
    expect((await call('GET', `${id}/errors.csv`)).status).toBe(400);
    expect((await call('POST', `${id}/validate`)).body).toMatchObject({ error_count: 0, warning_count: 0 });

    expect(await execute(app, tenant.id, id)).toMatchObject({ status: 'completed', import_result: { imported: 3 } });
    const arrived = await persons('quill');
    expect(arrived.map(({ first_name, city }) => [first_name, city]).sort()).toEqual([
      ['Ann', 'Alton'],
      ['Bea', 'Alton'],
      ['Cy', 'Altn'],
    ]);
    expect(arrived.find(({ first_name }) => first_name === 'Bea')).toMatchObject({
      email: 'bea@example.org',
      cell_phone: expect.stringContaining('555'),
      original_data: { Phone: 'ask her mother', Email: 'bea(at)example.org', City: 'Altn' },
    });
    await call('POST', `${id}/undo`);
  });

  test('apply in their order, and are undone one by one', async () => {
    const id = await ready('Ann,,,,', 'Bea,,,,');
    await correct(id, { column: 'Last', find: '', replace: 'Known', match: 'cell' });
    await correct(id, { column: 'Last', row: 2, value: 'Other' });
    await correct(id, { column: 'Last', find: 'O', replace: '', match: 'text' });
    const shown = async () => {
      await call('POST', `${id}/validate`);
      const { body } = await call<{ cells: { rows: object[] } }>('GET', `${id}/findings`);
      return body.cells.rows;
    };
    expect(await shown()).toEqual([]);
    const undone = await call('DELETE', `${id}/corrections/1`);
    expect(undone.body).toMatchObject({ corrections: [{ id: 2 }, { id: 3 }] });
    expect(await shown()).toEqual([{ row: 1, cells: ['Ann', '', '', '', ''] }]);
    expect((await call('DELETE', `${id}/corrections/1`)).body).toMatchObject({ code: 'not_found' });
    expect((await call('DELETE', `${id}/corrections/x`)).body).toMatchObject({ code: 'not_found' });
    // Numbers are not given again.
    const next = async () => (await correct(id, { column: 'Last', row: 1, value: 'New' })).body.corrections.at(-1)?.id;
    expect(await next()).toBe(4);
    await call('DELETE', `${id}/corrections/4`);
    expect(await next()).toBe(5);
    // Another reading has other rows and columns; the same one has its corrections again.
    await call('PUT', `${id}/layout`, { body: { header_row: null } });
    expect((await call('GET', `${id}/corrections`)).body).toEqual({ corrections: [] });
    await call('PUT', `${id}/layout`, { body: { header_row: 1 } });
    expect((await call('GET', `${id}/corrections`)).body).toMatchObject({
      corrections: [{ id: 2 }, { id: 3 }, { id: 5 }],
    });
  });

  test('of one reading survive corrections of another', async () => {
    const id = await ready('Ann,Lee,,,');
    await correct(id, { column: 'City', row: 1, value: 'Alton' });
    await call('PUT', `${id}/layout`, { body: { header_row: null } });
    const mappings = Object.values(fields).map((target, at) => ({ source: `Column ${'ABCDE'[at]}`, target }));
    expect((await call('PUT', `${id}/mappings`, { body: { mappings } })).status).toBe(200);
    expect((await correct(id, { column: 'Column A', row: 2, value: 'Bea' })).body).toMatchObject({
      corrections: [{ id: 2, value: 'Bea' }],
    });
    await call('PUT', `${id}/layout`, { body: { header_row: 1 } });
    expect((await call('GET', `${id}/corrections`)).body).toMatchObject({ corrections: [{ id: 1, value: 'Alton' }] });
  });

  test('of unknown columns or rows, or none, are rejected, and change nothing', async () => {
    const id = await ready('Ann,Lee,,,');
    await call('POST', `${id}/validate`);
    const wrong = await correct(
      id,
      { column: 'Nope', row: 1, value: 'x' },
      { column: 'Last', row: 2, value: 'x' },
      { column: 'Last', row: 1, value: 'x' },
    );
    expect(wrong).toMatchObject({
      status: 400,
      body: { code: 'validation_error', issues: [{ path: 'corrections.0.column' }, { path: 'corrections.1.row' }] },
    });
    expect(await correct(id)).toMatchObject({ status: 400 });
    expect(await correct(id, { column: 'Last', find: '', replace: 'x', match: 'text' })).toMatchObject({ status: 400 });
    expect(await correct(id, { column: 'Last', row: 1, value: 'x'.repeat(10_101) })).toMatchObject({ status: 400 });
    expect((await call('GET', id)).body).toMatchObject({ validation_result: { valid_count: 1 } });
    const other = await makeTenant(app, undefined);
    for (const [method, body] of [
      ['GET'],
      ['POST', { corrections: [{ column: 'Last', row: 1, value: 'x' }] }],
    ] as const)
      expect(await app.call(method, listPath(other.id, `${id}/corrections`), { body })).toMatchObject({ status: 404 });
    const { token } = await app.userOf('viewer');
    expect((await call('GET', `${id}/corrections`, { token })).status).toBe(403);
    const { job_id: pending } = await upload(app, tenant.id, 'First,Last\nAnn,Lee\n');
    expect(await correct(pending, { column: 'Last', row: 1, value: 'x' })).toMatchObject({
      body: { code: 'job_not_ready' },
    });
  });

  test('are limited in number and length', async () => {
    const id = await ready('Ann,Lee,,,');
    const long = { column: 'City', row: 1, value: 'x'.repeat(10_000) };
    const ten = Array.from({ length: 10 }, () => long);
    for (let count = 0; count < 200; count += 10) expect((await correct(id, ...ten)).status).toBe(200);
    expect(await correct(id, long)).toMatchObject({ status: 400, body: { code: 'validation_error' } });
    expect((await call('POST', `${id}/validate`)).body).toMatchObject({ valid_count: 1, warning_count: 1 });
  });

  test('of several users at the same time are all kept', async () => {
    const id = await ready('Ann,Lee,,,');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => correct(id, { column: 'City', row: 1, value: `City ${index}` })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const { body } = await call<{ corrections: { id: number }[] }>('GET', `${id}/corrections`);
    expect(body.corrections.map((one) => one.id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });
});

describe('duplicates within a list', () => {
  // Rows 1, 3 and 6 are one person, 2 and 5 another; row 4 is rejected. With three rows in a part.
  const lines = [
    'Dora,Finch,312-555-0181,,',
    'Emil,Finch,312-555-0182,,Cairo',
    'Dora,Finch,312-555-0181,dora@example.org,Alton',
    'Fay,,,,',
    'Emil,Finch,312-555-0182,emil@example.org,Mounds',
    'Dora,Finch,312-555-0181,,Cairo',
    'Gus,Finch,312-555-0183,,',
  ];
  test.each([
    ['first', { Dora: ['', ''], Emil: ['', 'Cairo'] }],
    ['last', { Dora: ['', 'Cairo'], Emil: ['emil@example.org', 'Mounds'] }],
    ['merge', { Dora: ['dora@example.org', 'Alton'], Emil: ['emil@example.org', 'Cairo'] }],
  ])('are decided by the user: %s', async (choice, expected) => {
    const id = await ready(...lines);
    expect((await call('POST', `${id}/validate`)).body).toMatchObject({ duplicate_count: 3, error_count: 1 });
    // Without a choice, an import that does not skip duplicates adds all.
    const options = { skip_duplicates: false, duplicates_in_file: choice };
    expect(await execute(app, tenant.id, id, options)).toMatchObject({
      status: 'completed',
      import_result: { total: 7, processed: 7, imported: 3, duplicates: 3, failed: 1, duplicates_in_file: 3 },
    });
    const arrived = Object.fromEntries(
      (await persons('finch')).map(({ first_name, email, city }) => [first_name, [email ?? '', city ?? '']]),
    );
    expect(arrived).toEqual({ ...expected, Gus: ['', ''] });
    expect((await call('GET', id)).body).toMatchObject({ import_options: { duplicates_in_file: choice } });
    expect((await call('POST', `${id}/undo`)).body).toMatchObject({ removed: 3 });
  });
});
