import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import Database from 'better-sqlite3';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { personFields } from '../../../src/features/list-imports/mapping/person-fields.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { countPeople, keyOf, supporters } from '../../harness/data/contacts.ts';
import {
  analyze,
  execute,
  listForm,
  listPath,
  type MappingAnswer,
  sendForm,
  sendUnannounced,
  statusOf,
  upload,
  uploadFile,
} from '../../harness/data/lists.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';

let directory: string;
let app: App;
/** Deployed: the sample application. */
let tenant: TenantAnswer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-imports-'));
  const { path } = await makeContactsRepository(join(directory, 'repository'));
  app = await startApp({ healthTimeoutMs: 20_000, importing: { tenantTimeoutMs: 10_000 } });
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
const take = (content: string | Uint8Array<ArrayBuffer>, name?: string) => upload(app, tenant.id, content, name);
const send = (form: FormData, query = '') => sendForm(app, listPath(tenant.id, `upload${query}`), form);
const names = 'First Name,Last Name\nAda,Example\n';

/** The files in the list loader's directory. */
const filesOf = async (id = ''): Promise<string[]> => readdir(join(app.directory, 'data', 'imports', id));
const directories = async () => (await filesOf()).filter((name) => name.startsWith('imp_'));

interface Person {
  first_name: string;
  last_name: string;
  email: string | null;
  tags: string[];
  original_data: Record<string, string>;
  [field: string]: unknown;
}

/** Requested from the tenant itself. */
async function persons(search: string): Promise<Person[]> {
  const response = await fetch(
    `http://127.0.0.1:${tenant.backend_port}/api/persons?search=${encodeURIComponent(search)}`,
    { headers: { 'x-api-key': await keyOf(tenant.directory) } },
  );
  return ((await response.json()) as { persons: Person[] }).persons;
}

test('a list is imported into the tenant and undone', async () => {
  const uploaded = await uploadFile(app, tenant.id, supporters.path, 'supporters.csv');
  const { job_id: id } = uploaded;
  expect(id).toMatch(/^imp_[\w-]{16,}$/);
  expect(uploaded).toMatchObject({ filename: 'supporters.csv', status: 'pending', row_count: supporters.people });

  const preview = await call<{ headers: string[]; sample_rows: Record<string, string>[] }>('GET', `${id}/preview`);
  expect(preview.body).toMatchObject({ total_rows: supporters.people });
  expect(preview.body.sample_rows).toHaveLength(10);
  expect(Object.keys(preview.body.sample_rows[0] ?? {})).toEqual(preview.body.headers);

  const mappings = await analyze(app, tenant.id, id);
  expect(mappings.map(({ source }) => source)).toEqual(preview.body.headers);
  expect(mappings).toContainEqual(expect.objectContaining({ source: 'first_name', target: 'first_name' }));
  expect(await statusOf(app, tenant.id, id)).toMatchObject({ status: 'ready', import_result: null });

  const before = await countPeople(app, tenant.id);
  const validated = await call('POST', `${id}/validate`);
  expect(validated).toMatchObject({
    status: 200,
    body: { status: 'ready', total: 40, valid_count: 40, error_count: 0, tenant_duplicates: { checked: 40, found: 0 } },
  });

  const end = await execute(app, tenant.id, id, { tags: ['spring'], list_name: 'Supporters' });
  expect(end).toMatchObject({ status: 'completed', import_result: { batch_id: id, imported: 40, failed: 0 } });
  expect(await countPeople(app, tenant.id)).toBe(before + 40);
  const [delia] = await persons('pennywhistle');
  expect(delia).toMatchObject({
    first_name: 'Delia',
    import_source: 'Supporters',
    import_batch_id: id,
    import_filename: 'supporters.csv',
    tags: ['spring', 'yard sign'],
    original_data: { cell_phone: '312-555-0170' },
  });

  const again = (await uploadFile(app, tenant.id, supporters.path)).job_id;
  await analyze(app, tenant.id, again);
  expect((await call('POST', `${again}/validate`)).body).toMatchObject({
    tenant_duplicates: { checked: 40, found: 40 },
  });
  expect(await execute(app, tenant.id, again)).toMatchObject({
    status: 'completed',
    progress: { success: 0, duplicates: 40, processed: 40 },
  });
  expect(await countPeople(app, tenant.id)).toBe(before + 40);

  const undone = await call('POST', `${id}/undo`);
  expect(undone).toMatchObject({ status: 200, body: { status: 'ready', removed: 40, kept: 0 } });
  expect(await countPeople(app, tenant.id)).toBe(before);
  expect(await call('POST', `${id}/undo`)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
  expect(await execute(app, tenant.id, id)).toMatchObject({ status: 'completed', import_result: { imported: 40 } });
  expect((await call('POST', `${id}/undo`)).body).toMatchObject({ removed: 40 });

  const { body } = await call<{ jobs: Record<string, unknown>[]; total: number }>('GET', 'history?limit=1&offset=1');
  const import_options = { skip_duplicates: true, update_existing: false, tags: [], list_name: 'supporters.csv' };
  expect(body.jobs[0]).toMatchObject({ import_options });
  expect(body).toMatchObject({ total: 2, limit: 1, offset: 1, jobs: [{ id, job_id: id, tenant_id: tenant.id }] });
  const fields = ['file_path', 'file_size', 'row_count', 'status', 'mappings', 'validation_result', 'import_result'];
  const others = ['filename', 'created_at', 'updated_at', 'created_by'];
  for (const field of [...fields, ...others]) expect(body.jobs[0]).toHaveProperty(field);

  const auditLog = await app.call<{ logs: { message: string }[] }>('GET', `/api/logs?tenant_id=${tenant.id}&limit=500`);
  const messages = auditLog.body.logs.map(({ message }) => message);
  for (const line of ['uploaded a list', 'asked for mappings of a list', 'validated a list', 'began to import a list'])
    expect(messages).toContain(`admin ${line}`);
  expect(messages).toContain('Import of supporters.csv: success');
  expect(messages).toContain('admin undid an import');
  expect(JSON.stringify(auditLog.body)).not.toMatch(/pennywhistle|555-0170/i);
});

test('a list whose deletion fails in the store keeps its file', async () => {
  const tenant = await makeTenant(app, undefined);
  const { job_id: id } = await upload(app, tenant.id, 'First,Last\nAda,Example\n');
  const store = join(app.directory, 'data', 'tenantry.db');
  const script = 'new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec(process.argv[2])';
  const change = (statement: string) => execFileSync(process.execPath, ['-e', script, store, statement]);
  change("CREATE TRIGGER keep BEFORE DELETE ON import_jobs BEGIN SELECT RAISE(ABORT, 'kept'); END");
  try {
    expect((await app.call('DELETE', listPath(tenant.id, id))).status).toBe(500);
  } finally {
    change('DROP TRIGGER keep');
  }
  expect(await app.call('GET', listPath(tenant.id, `${id}/preview`))).toMatchObject({
    status: 200,
    body: { sample_rows: [{ First: 'Ada', Last: 'Example' }] },
  });
  expect((await app.call('DELETE', listPath(tenant.id, id))).status).toBe(200);
  expect((await app.call('GET', listPath(tenant.id, id))).status).toBe(404);
});

describe('an upload', () => {
  test.each([
    ['../../../etc/passwd', 'passwd'],
    ['C:\\lists\\people.csv', 'people.csv'],
    ['a\u202etxt.vsc\n.csv', 'atxt.vsc .csv'],
    ['Wähler­liste 2026 ✓.csv', 'Wählerliste 2026 ✓.csv'],
    ['.bashrc', '.bashrc'],
    [`${'x'.repeat(400)}.csv`, 'x'.repeat(255)],
  ])('named %j is stored under a generated name, and shown as %j', async (given, shown) => {
    const { job_id: id, filename } = await take(names, given);
    expect(filename).toBe(shown);
    const { body } = await call<{ file_path: string }>('GET', id);
    expect(body.file_path).toBe(join(app.directory, 'data', 'imports', id, 'list'));
    expect(await readFile(body.file_path, 'utf8')).toBe(names);
    expect((await filesOf(id)).sort()).toEqual(['list', 'sample.json']);
  });

  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 73, 72, 68, 82]);
  const twoFiles = () => {
    const form = listForm(names);
    form.append('file', new Blob([names]), 'second.csv');
    return form;
  };
  const elsewhere = () => {
    const form = new FormData();
    form.append('list', new Blob([names]), 'list.csv');
    return form;
  };
  const noFile = () => {
    const form = new FormData();
    form.append('sheet', 'People');
    return form;
  };
  test.each<[string, () => FormData, string, number, string, string | undefined]>([
    ['of a picture', () => listForm(png, 'list.csv'), '', 400, 'unsupported_file', undefined],
    ['of nothing', () => listForm(''), '', 400, 'unsupported_file', undefined],
    ['of two files', twoFiles, '', 400, 'validation_error', 'file'],
    ['in another field', elsewhere, '', 400, 'validation_error', 'list'],
    ['without a file', noFile, '', 400, 'validation_error', 'file'],
    ['with an unknown field', () => listForm(names, 'a.csv', { colour: 'red' }), '', 400, 'validation_error', 'colour'],
    ['for a sheet of a text', () => listForm(names, 'a.csv', { sheet: 'Two' }), '', 400, 'validation_error', 'sheet'],
    ['for such a sheet by the query', () => listForm(names), '?sheet=Two', 400, 'validation_error', 'sheet'],
    [
      'with an endless field',
      () => listForm(names, 'a.csv', { sheet: 'x'.repeat(9_000) }),
      '',
      400,
      'validation_error',
      'sheet',
    ],
  ])('rejects %s and leaves nothing', async (_what, form, query, status, code, field) => {
    const before = await directories();
    const { body, ...answer } = await send(form(), query);
    expect([answer.status, body]).toEqual([status, expect.objectContaining({ code })]);
    if (field) expect(body).toMatchObject({ issues: [{ path: field }] });
    expect(await directories()).toEqual(before);
  });

  test('that is not a form: 415; an invalid form: 400', async () => {
    expect(await call('POST', 'upload', { body: {} })).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type' },
    });
    for (const contentType of ['multipart/form-data', 'multipart/form-data; boundary=x']) {
      const response = await fetch(app.url + listPath(tenant.id, 'upload'), {
        method: 'POST',
        headers: { authorization: `Bearer ${app.token}`, 'content-type': contentType },
        body: '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
      });
      expect([contentType, response.status]).toEqual([contentType, 400]);
    }
  });

  test('larger than the setting: 413, with and without Content-Length; a smaller one is accepted', async () => {
    const setting = (value: number) => app.call('PUT', '/api/settings/import_max_upload_mb', { body: { value } });
    const before = await directories();
    const row = 'Ada,Example\n';
    const large = `First,Last\n${row.repeat(Math.ceil(1_100_000 / row.length))}`;
    await setting(1);
    try {
      const refused = await send(listForm(large));
      expect(refused).toMatchObject({
        status: 413,
        body: { code: 'payload_too_large', detail: expect.stringContaining('1 MiB') },
      });
      expect(await sendUnannounced(app, listPath(tenant.id, 'upload'), large)).toBe(413);
      expect(await directories()).toEqual(before);
      expect((await send(listForm(large.slice(0, 1_000_000)))).status).toBe(201);
    } finally {
      await setting(200);
    }
  });

  test('that is interrupted leaves nothing', async () => {
    const before = await directories();
    const request = httpRequest(app.url + listPath(tenant.id, 'upload'), {
      method: 'POST',
      headers: { authorization: `Bearer ${app.token}`, 'content-type': 'multipart/form-data; boundary=x' },
    });
    request.on('error', () => undefined);
    request.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nFirst,Last\n');
    await until(directories, (now) => now.length > before.length);
    request.destroy();
    await until(directories, (now) => now.length === before.length);
  });
});

describe('hostile content', () => {
  test('treats headers with names of JavaScript’s own as columns', async () => {
    const { job_id: id } = await take('First,Last,__proto__,constructor,toString\nAda,Example,a,b,c\n');
    const { body } = await call<{ headers: string[]; sample_rows: object[] }>('GET', `${id}/preview`);
    expect(body.headers).toEqual(['First', 'Last', '__proto__', 'constructor', 'toString']);
    const mappings = [
      { source: 'First', target: 'first_name' },
      { source: 'Last', target: 'last_name' },
      { source: '__proto__', target: 'custom_fields.proto' },
      { source: 'constructor', target: 'notes' },
    ];
    expect((await call('PUT', `${id}/mappings`, { body: { mappings } })).body).toMatchObject({
      unmapped: ['toString'],
    });
    expect(await execute(app, tenant.id, id)).toMatchObject({ status: 'completed', import_result: { imported: 1 } });
    const [ada] = (await persons('ada example')).filter(({ import_batch_id }) => import_batch_id === id);
    expect(ada).toMatchObject({ notes: 'b', custom_fields: { proto: 'a' } });
    await call('POST', `${id}/undo`);
  });

  test('escapes spreadsheet formulas in errors.csv', async () => {
    const evil = ['=1+1', '+1', '-1', '@SUM(A1)', "=cmd|' /C calc'!A0"];
    const content = `First,Last,Notes\n${evil.map((cell) => `,,"${cell}"\n`).join('')}`;
    const { job_id: id } = await take(content, 'Für “alle”; \u202eexe.csv');
    await analyze(app, tenant.id, id);
    expect((await call('POST', `${id}/validate`)).body).toMatchObject({ error_count: evil.length, valid_count: 0 });
    const { body, headers } = await call<{ text: string }>('GET', `${id}/errors.csv`);
    // Named after the list, without characters that reverse the name.
    const name = /^attachment; filename="[^"]+"; filename\*=UTF-8''(.+)$/.exec(
      headers.get('content-disposition') ?? '',
    );
    expect(decodeURIComponent(name?.[1] ?? '')).toBe('Für “alle”; exe, rows left out.csv');
    const cells = body.text.split(/[,\r\n]+/);
    expect(cells.filter((cell) => /^"?[=+@-]/.test(cell))).toEqual([]);
    expect(body.text.match(/'[=+@-]/g)?.length).toBeGreaterThanOrEqual(evil.length);
  });
});

describe('mappings', () => {
  let id: string;
  beforeAll(async () => {
    id = (await take('First,Last,Phone,Cell,Full,Town\nAda,Example,1,2,Ada Example,"Springfield, IL 62701"\n')).job_id;
  });
  const put = (mappings: unknown) => call('PUT', `${id}/mappings`, { body: { mappings } });
  const first = { source: 'First', target: 'first_name' };
  const last = { source: 'Last', target: 'last_name' };

  test('are empty at first; a list without them can be neither checked nor imported', async () => {
    expect((await call('GET', `${id}/mappings`)).body).toMatchObject({ status: 'pending', mappings: [], unmapped: [] });
    for (const [method, rest] of [
      ['POST', 'validate'],
      ['POST', 'execute'],
      ['GET', 'errors.csv'],
    ] as const)
      expect(await call(method, `${id}/${rest}`)).toMatchObject({ status: 400, body: { code: 'job_not_ready' } });
  });

  test('include the catalogue of person fields and transforms', async () => {
    const { catalogue } = (await call<{ catalogue: Record<string, { name: string }[]> }>('GET', `${id}/mappings`)).body;
    expect(catalogue.fields?.map(({ name }) => name)).toEqual(personFields);
    expect(catalogue.fields).toContainEqual({
      name: 'cell_phone',
      label: 'Cell phone',
      group: 'contact',
      required: false,
      max_length: 40,
      transform: 'phone',
    });
    expect(catalogue.groups).toContainEqual({ name: 'contact', label: 'Contact' });
    expect(catalogue.transforms).toContainEqual({
      name: 'city_state',
      label: 'Split city and state',
      fills: ['city', 'state'],
      for_custom_fields: false,
    });
  });

  test.each<[string, unknown[], string, string]>([
    ['an unknown column', [first, last, { source: 'Shoe', target: 'notes' }], 'validation_error', 'mappings.2.source'],
    ['a column twice', [first, last, { source: 'First', target: 'notes' }], 'validation_error', 'mappings.2.source'],
    [
      'an unknown target',
      [first, last, { source: 'Phone', target: 'shoe_size' }],
      'validation_error',
      'mappings.2.target',
    ],
    [
      'a custom field without a name',
      [first, last, { source: 'Phone', target: 'custom_fields.' }],
      'validation_error',
      'mappings.2.target',
    ],
    [
      'a custom field of a bad name',
      [first, last, { source: 'Phone', target: 'custom_fields.__proto__' }],
      'validation_error',
      'mappings.2.target',
    ],
    [
      'one field twice',
      [first, last, { source: 'Phone', target: 'cell_phone' }, { source: 'Cell', target: 'cell_phone' }],
      'validation_error',
      'mappings.3.target',
    ],
    [
      'one custom field twice',
      [first, last, { source: 'Phone', target: 'custom_fields.a' }, { source: 'Cell', target: 'custom_fields.a' }],
      'validation_error',
      'mappings.3.target',
    ],
    [
      'a field that a split fills already',
      [{ source: 'Full', target: 'first_name', transform: 'full_name' }, last],
      'validation_error',
      'mappings.1.target',
    ],
    [
      'a split of another field',
      [first, last, { source: 'Full', target: 'notes', transform: 'full_name' }],
      'validation_error',
      'mappings.2.transform',
    ],
    [
      'an unknown transform',
      [first, last, { source: 'Phone', target: 'notes', transform: 'upper' }],
      'validation_error',
      'mappings.2.transform',
    ],
    ['a confidence above one', [first, { ...last, confidence: 1.5 }], 'validation_error', 'mappings.1.confidence'],
    ['a field of no mapping', [first, { ...last, colour: 'red' }], 'validation_error', 'mappings.1.colour'],
    ['no last name', [first], 'mapping_incomplete', 'mappings'],
    ['no first name', [last], 'mapping_incomplete', 'mappings'],
  ])('with %s are rejected, naming the entry', async (_what, mappings, code, path) => {
    expect(await put(mappings)).toMatchObject({ status: 400, body: { code, issues: [{ path }] } });
  });

  test('are rejected if they are not a list', async () => {
    expect(await put('all')).toMatchObject({ status: 400, body: { issues: [{ path: 'mappings' }] } });
    expect(await call('PUT', `${id}/mappings`, { body: {} })).toMatchObject({ status: 400 });
  });

  test('replace each other, and are returned unchanged', async () => {
    const joined = [
      { source: 'Full', target: 'first_name', transform: 'full_name', confidence: 0.8, reason: 'Looks like it' },
      { source: 'Phone', target: 'notes', transform: 'join' },
      { source: 'Cell', target: 'notes', transform: 'join', alternatives: [{ target: 'cell_phone', confidence: 0.4 }] },
      { source: 'Town', target: 'city', transform: 'city_state_zip' },
    ];
    const { status, body } = await put(joined);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ status: 'ready', unmapped: ['First', 'Last'], warnings: [] }),
    ]);
    expect((await call('GET', `${id}/mappings`)).body).toEqual(body);
    const got = body.mappings as MappingAnswer[];
    expect(got.map(({ source }) => source)).toEqual(['First', 'Last', 'Phone', 'Cell', 'Full', 'Town']);
    expect(got.find(({ source }) => source === 'Full')).toEqual(joined[0]);
    expect(got.find(({ source }) => source === 'Phone')).toEqual({ ...joined[1], confidence: 1 });
    // The response can be sent back.
    expect(await put(got)).toMatchObject({ status: 200 });
  });

  test('set during the analysis are kept', async () => {
    const { job_id } = await take('First,Last,Notes\nAda,Example,x\n');
    const asked = call('POST', `${job_id}/analyze`);
    const mappings = [
      { source: 'First', target: 'last_name' },
      { source: 'Last', target: 'first_name' },
    ];
    expect((await asked).status).toBe(202);
    expect((await call('PUT', `${job_id}/mappings`, { body: { mappings } })).status).toBe(200);
    await until(
      () => call('GET', job_id),
      ({ body }) => body.status === 'ready',
    );
    expect((await call('GET', `${job_id}/mappings`)).body).toMatchObject({
      status: 'ready',
      mappings: [...mappings, {}],
    });
  });

  test('changed after validation count as not validated', async () => {
    await put([first, last]);
    expect((await call('POST', `${id}/validate`)).status).toBe(200);
    expect((await call('GET', id)).body.validation_result).toMatchObject({ total: 1, valid_count: 1 });
    await put([first, last, { source: 'Phone', target: 'notes' }]);
    expect((await call('GET', id)).body.validation_result).toBeNull();
    expect(await call('GET', `${id}/errors.csv`)).toMatchObject({ status: 400, body: { code: 'job_not_ready' } });
  });
});

describe('templates', () => {
  const path = '/api/import-templates';

  test('are saved from a list, applied to a similar one, changed and deleted', async () => {
    const { job_id: id } = await take('Voornaam,Achternaam,Straat,Plaats\nAda,Example,Weg 1,Delft\n');
    const mappings = [
      { source: 'Voornaam', target: 'first_name' },
      { source: 'Achternaam', target: 'last_name' },
      { source: 'Straat', target: 'address1' },
      { source: 'Plaats', target: 'city', transform: 'none' },
    ];
    expect(await app.call('POST', path, { body: { name: 'Dutch', job_id: id } })).toMatchObject({
      status: 400,
      body: { code: 'job_not_ready' },
    });
    await call('PUT', `${id}/mappings`, { body: { mappings } });
    const made = await app.call<{ id: string }>('POST', path, { body: { name: ' Dutch ', job_id: id } });
    expect(made).toMatchObject({ status: 201, body: { name: 'Dutch', description: null, created_by: 'admin' } });
    const one = `${path}/${made.body.id}`;
    expect((await app.call('GET', one)).body).toEqual(made.body);

    const alike = (await take('voornaam,ACHTERNAAM,Straat ,Plaats:,Hobby\nBen,Other,Laan 2,Gouda,chess\n')).job_id;
    const applied = await call<{ mappings: MappingAnswer[] }>('POST', `${alike}/apply-template`, {
      body: { template_id: made.body.id },
    });
    expect(applied).toMatchObject({ status: 200, body: { status: 'ready', template_id: made.body.id, warnings: [] } });
    expect(applied.body.mappings.map(({ target, transform }) => [target, transform])).toEqual([
      ['first_name', undefined],
      ['last_name', undefined],
      ['address1', undefined],
      ['city', 'none'],
      ['skip', undefined],
    ]);

    // A known layout gets them automatically.
    const again = (await take('Voornaam,Achternaam,Straat,Plaats\nCleo,Third,Dam 3,Edam\n')).job_id;
    expect((await analyze(app, tenant.id, again)).map(({ target }) => target)).toEqual(
      mappings.map(({ target }) => target),
    );
    expect((await call('GET', `${again}/mappings`)).body).toMatchObject({
      template_id: made.body.id,
      warnings: [expect.stringContaining('“Dutch”')],
    });

    const other = (await take('Shoe,Hat\n1,2\n')).job_id;
    const unfit = await call<{ warnings: string[] }>('POST', `${other}/apply-template`, {
      body: { template_id: made.body.id },
    });
    expect(unfit.body.warnings).toEqual([
      expect.stringContaining('"Voornaam"'),
      'No column is chosen for first name and last name.',
    ]);
    expect(await call('POST', `${other}/execute`)).toMatchObject({ status: 400, body: { code: 'mapping_incomplete' } });

    const changed = await app.call('PUT', one, { body: { name: 'Nederland', description: 'From the union' } });
    expect(changed).toMatchObject({
      status: 200,
      body: { name: 'Nederland', description: 'From the union', mappings: [{}, {}, {}, {}] },
    });
    const auditLog = await app.call<{ logs: unknown[] }>('GET', '/api/logs?category=audit&limit=5');
    expect(auditLog.body.logs).toContainEqual(
      expect.objectContaining({
        message: 'admin changed the import template Nederland',
        details: expect.objectContaining({ changes: { name: { before: 'Dutch', after: 'Nederland' } } }),
      }),
    );
    const list = await app.call<{ templates: unknown[]; total: number }>('GET', `${path}?limit=1`);
    expect(list.body).toMatchObject({ total: 1, limit: 1, offset: 0, templates: [changed.body] });
    expect((await app.call('DELETE', one)).status).toBe(200);
    expect((await app.call('DELETE', one)).status).toBe(404);
    expect((await app.call('PUT', one, { body: { name: 'x' } })).status).toBe(404);
    expect(await call('POST', `${alike}/apply-template`, { body: { template_id: made.body.id } })).toMatchObject({
      status: 404,
    });
  });

  const whole = [
    { source: 'A', target: 'first_name' },
    { source: 'B', target: 'last_name' },
  ];
  test.each<[string, object, string]>([
    ['without a name', { mappings: whole }, 'name'],
    ['without mappings', { name: 'x' }, 'mappings'],
    ['with two sources of mappings', { name: 'x', mappings: whole, job_id: 'imp_x' }, 'mappings'],
    ['with a column twice', { name: 'x', mappings: [...whole, whole[0]] }, 'mappings.2.source'],
    ['without a last name', { name: 'x', mappings: [whole[0]] }, 'mappings'],
  ])('%s are rejected', async (_what, body, field) => {
    expect(await app.call('POST', path, { body })).toMatchObject({ status: 400, body: { issues: [{ path: field }] } });
  });

  test('of an unknown job: 404', async () => {
    expect((await app.call('POST', path, { body: { name: 'x', job_id: 'imp_nothing' } })).status).toBe(404);
  });
});

describe('lists', () => {
  test('belong to their tenant', async () => {
    const { job_id: id } = await take(names);
    const stranger = await makeTenant(app, undefined);
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/preview'],
      ['POST', '/analyze'],
      ['GET', '/mappings'],
      ['POST', '/validate'],
      ['GET', '/errors.csv'],
      ['POST', '/execute'],
      ['GET', '/status'],
      ['POST', '/cancel'],
      ['POST', '/undo'],
    ] as const)
      expect([rest, (await app.call(method, listPath(stranger.id, id + rest))).status]).toEqual([rest, 404]);
    expect((await app.call('GET', listPath('nothing', 'history'))).status).toBe(404);
    expect((await app.call('GET', listPath(stranger.id, 'history'))).body).toMatchObject({ jobs: [], total: 0 });
  });

  test('are deleted with their file', async () => {
    const { job_id: id } = await take(names);
    expect(await call('DELETE', id)).toMatchObject({ status: 200 });
    expect((await call('GET', id)).status).toBe(404);
    expect(await directories()).not.toContain(id);
  });

  /** A list whose rejected rows are being written. */
  async function beingValidated() {
    const rows = Array.from({ length: 60_000 }, (_, at) => `,Nameless${at},x`).join('\n');
    const { job_id: id } = await take(`First Name,Last Name,Notes\n${rows}\n`);
    await analyze(app, tenant.id, id);
    const answer = call('POST', `${id}/validate`);
    await until(
      () => filesOf(id),
      (found) => found.some((name) => name.endsWith('.tmp')),
    );
    return { id, answer };
  }

  test('deleted during their validation end it', async () => {
    const { id, answer } = await beingValidated();
    expect(await call('DELETE', id)).toMatchObject({ status: 200 });
    expect(await answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('whose mappings change during their validation have no rejected rows', async () => {
    const { id, answer } = await beingValidated();
    const mappings = [{ source: 'Last Name', target: 'first_name', transform: 'full_name' }];
    expect(await call('PUT', `${id}/mappings`, { body: { mappings } })).toMatchObject({ status: 200 });
    expect(await answer).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    expect(await call('GET', `${id}/errors.csv`)).toMatchObject({ status: 400, body: { code: 'job_not_ready' } });
  });

  test('lose their file after a while, and remain as history', async () => {
    const { job_id: id } = await take(names);
    await analyze(app, tenant.id, id);
    const store = new Database(join(app.directory, 'data', 'tenantry.db'));
    store.prepare("UPDATE import_jobs SET updated_at = '2020-01-01 00:00:00.000 +00:00' WHERE id = ?").run(id);
    store.close();
    const others = (await directories()).filter((name) => name !== id);
    await app.manager.app.imports.tidy();
    expect(await directories()).toEqual(others);
    expect((await call('GET', id)).body).toMatchObject({ status: 'ready', file_removed_at: expect.any(String) });
    for (const [method, rest] of [
      ['GET', 'preview'],
      ['POST', 'analyze'],
      ['POST', 'validate'],
      ['POST', 'execute'],
      ['GET', 'errors.csv'],
    ] as const) {
      const { status, body } = await call(method, `${id}/${rest}`);
      expect([rest, status, body.code]).toEqual([rest, 409, 'invalid_state']);
    }
    expect((await call('DELETE', id)).status).toBe(200);
  });
});

test('the check before an import counts as the import does', async () => {
  const lines = [
    'First Name,Last Name,Email,Cell Phone,Home Phone,Address,ZIP',
    'Ann,Lee,ann@example.org,312-555-0170,,1 Main St,62701',
    // By address, by name and phone, by name and ZIP code.
    'ANN,LEE,Ann@Example.org,,,,',
    'ann,lee,,,(312) 555-0170,,',
    'Ann,Lee,,,,2 Oak St,62701',
    // Of another person: another first name with the same telephone, another e-mail address.
    'Bob,Lee,,312-555-0170,,,',
    'Ann,Lee,ann.junior@example.org,312-555-0170,,1 Main St,62701',
    // Neither repeats a person of the list that was added.
    'Ann,Lee,,,,1 Main St,62702',
  ];
  const id = (await take(lines.join('\n'))).job_id;
  await analyze(app, tenant.id, id);
  const { body: checked } = await call<{ warnings: { row: number; message: string }[] }>('POST', `${id}/validate`);
  expect(checked).toMatchObject({
    total: 7,
    valid_count: 7,
    duplicate_count: 3,
    tenant_duplicates: { checked: 4, found: 0 },
  });
  const repeated = checked.warnings.filter(({ message }) => message.startsWith('Duplicate of row'));
  expect(repeated.map(({ row, message }) => [row, message])).toEqual([
    [2, 'Duplicate of row 2 of the file: the same e-mail address'],
    [3, 'Duplicate of row 2 of the file: the same name and phone number'],
    [4, 'Duplicate of row 2 of the file: the same name and ZIP code'],
  ]);
  expect((await execute(app, tenant.id, id)).import_result).toMatchObject({
    imported: 4,
    duplicates: 3,
    duplicates_in_file: 3,
  });

  // Once more: now the people are in the tenant, and the rows that repeat them are still in the file.
  const again = (await take(lines.join('\n'))).job_id;
  await analyze(app, tenant.id, again);
  expect((await call('POST', `${again}/validate`)).body).toMatchObject({
    duplicate_count: 3,
    tenant_duplicates: { checked: 4, found: 4 },
  });
  expect((await execute(app, tenant.id, again)).import_result).toMatchObject({
    imported: 0,
    duplicates: 7,
    duplicates_in_file: 3,
  });
  expect((await call('POST', `${id}/undo`)).body).toMatchObject({ removed: 4 });
});
