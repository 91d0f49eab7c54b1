import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { utils, write } from 'xlsx';
import { type App, sharedApp } from '../../harness/app/app.ts';
import { analyze, listPath, upload } from '../../harness/data/lists.ts';
import { makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';

let app: App;
let tenant: TenantAnswer;

beforeAll(async () => {
  app = await sharedApp();
  tenant = await makeTenant(app, undefined);
});

const call = <T = Record<string, unknown>>(method: string, rest: string, options = {}) =>
  app.call<T>(method, listPath(tenant.id, rest), options);
const take = async (content: string | Uint8Array<ArrayBuffer>, name?: string) =>
  (await upload(app, tenant.id, content, name)).job_id;

const titled = 'Captains;;\nPrinted by the office;;\n;;\nFirst;Last;Town\nJosé;Núñez;Cairo\n;;\nAnn;Lee;Alton\n';

describe('the properties of a list', () => {
  test('are reported: kind, character set, delimiter, first rows, warnings', async () => {
    const { body } = await call('GET', `${await take(Buffer.from(titled, 'latin1') as never)}/preview`);
    expect(body).toMatchObject({
      format: 'csv',
      encoding: 'windows-1252',
      delimiter: ';',
      header_row: 4,
      headers: ['First', 'Last', 'Town'],
      sample_rows: [
        { First: 'José', Last: 'Núñez', Town: 'Cairo' },
        { First: 'Ann', Last: 'Lee', Town: 'Alton' },
      ],
    });
    expect(body.first_rows).toEqual([
      { row: 1, cells: ['Captains', '', ''] },
      { row: 2, cells: ['Printed by the office', '', ''] },
      { row: 4, cells: ['First', 'Last', 'Town'] },
      { row: 5, cells: ['José', 'Núñez', 'Cairo'] },
      { row: 7, cells: ['Ann', 'Lee', 'Alton'] },
    ]);
    expect(body.warnings).toContain('2 title rows above row 4 are left out.');
  });

  test('the preview is truncated if the file starts with long rows', async () => {
    const wide = Array.from({ length: 40 }, (_, at) => `Column number ${at}`);
    const { body } = await call<{ first_rows: { cells: string[] }[] }>(
      'GET',
      `${await take(`${wide.join(',')}\n${'x'.repeat(500)},b\n`)}/preview`,
    );
    expect(body.first_rows.map(({ cells }) => cells.length)).toEqual([12, 2]);
    expect(body.first_rows[1]?.cells[0]).toBe('x'.repeat(60));
  });
});

describe('reading a list with other options', () => {
  const readAs = (id: string, body: object) => call('PUT', `${id}/layout`, { body });

  test('uses the given header row, and drops previous mappings and findings', async () => {
    const id = await take(titled);
    await analyze(app, tenant.id, id);
    expect((await call('POST', `${id}/validate`)).status).toBe(200);
    const before = await readdir(join(app.directory, 'data', 'imports', id));
    expect(before.sort()).toEqual(['findings.json', 'list', 'rejected.csv', 'sample.json']);

    const none = await readAs(id, { header_row: null });
    expect(none.body).toMatchObject({ header_row: null, total_rows: 3, headers: ['Column A', 'Column B', 'Column C'] });
    expect((await call('GET', id)).body).toMatchObject({ status: 'pending', mappings: [], validation_result: null });
    expect((await readdir(join(app.directory, 'data', 'imports', id))).sort()).toEqual(['list', 'sample.json']);
    for (const rest of ['findings', 'errors.csv'])
      expect(await call('GET', `${id}/${rest}`)).toMatchObject({ status: 400, body: { code: 'job_not_ready' } });

    const moved = await readAs(id, { header_row: 5 });
    expect(moved.body).toMatchObject({ header_row: 5, total_rows: 1, headers: ['José', 'Núñez', 'Cairo'] });
    expect((await call('GET', `${id}/preview`)).body).toEqual(moved.body);
    const found = await readAs(id, {});
    expect(found.body).toMatchObject({ header_row: 4, total_rows: 2 });
  });

  test('reads another sheet, and keeps it when the header row changes', async () => {
    const book = utils.book_new();
    const first = [
      ['First', 'Last'],
      ['Ann', 'Lee'],
    ];
    const second = [
      ['Walkers', ''],
      ['Given', 'Family'],
      ['Bob', 'Ray'],
      ['Cal', 'Poe'],
    ];
    utils.book_append_sheet(book, utils.aoa_to_sheet(first), 'Callers');
    utils.book_append_sheet(book, utils.aoa_to_sheet(second), 'Walkers');
    const id = await take(new Uint8Array(write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer), 'book.xlsx');
    expect((await readAs(id, { sheet: 'Walkers' })).body).toMatchObject({
      format: 'xlsx',
      encoding: null,
      delimiter: null,
      sheet: 'Walkers',
      headers: ['Given', 'Family'],
    });
    expect((await readAs(id, { header_row: 3 })).body).toMatchObject({ sheet: 'Walkers', headers: ['Bob', 'Ray'] });
    expect((await call('GET', id)).body).toMatchObject({ row_count: 1 });
  });

  test.each([
    ['a blank row', { header_row: 3 }, 'header_row'],
    ['a row that there is not', { header_row: 99 }, 'header_row'],
    ['a sheet of a text', { sheet: 'Two' }, 'sheet'],
    ['an unknown field', { colour: 'red' }, 'colour'],
  ])('rejects %s, and changes nothing', async (_what, body, path) => {
    const id = await take(titled);
    await analyze(app, tenant.id, id);
    const before = (await call('GET', id)).body;
    expect(await readAs(id, body)).toMatchObject({
      status: 400,
      body: { code: 'validation_error', issues: [{ path }] },
    });
    expect((await call('GET', id)).body).toEqual(before);
  });
});

describe('findings of a validation', () => {
  test('are readable for operators, but not for viewers, with the row numbers of the file', async () => {
    const rows = `${titled}Ann;Lee;Alton\n;Roe;Alton\nJosé;Núñez;Cairo\n`;
    const id = await take(rows.replaceAll('Cairo', '62914').replaceAll('Alton', '62002'));
    const mappings = [
      { source: 'First', target: 'first_name' },
      { source: 'Last', target: 'last_name' },
      { source: 'Town', target: 'zip' },
    ];
    await call('PUT', `${id}/mappings`, { body: { mappings } });
    expect(await call('GET', `${id}/findings`)).toMatchObject({ status: 400, body: { code: 'job_not_ready' } });
    const { body: validated } = await call('POST', `${id}/validate`);
    const { token } = await app.userOf('viewer');
    expect(await call('GET', `${id}/findings`, { token })).toMatchObject({ status: 403 });
    const { body: again } = await call('GET', `${id}/findings`);
    const cells = {
      columns: ['First', 'Last', 'Town'],
      rows: [
        { row: 3, cells: expect.any(Array) },
        { row: 4, cells: ['', 'Roe', '62002'] },
        { row: 5, cells: ['José', 'Núñez', '62914'] },
      ],
    };
    expect(again).toEqual({ ...validated, validated_at: expect.any(String), cells });
    expect(again).toMatchObject({
      error_count: 1,
      errors: [{ row: 4, file_row: 9, code: 'required', field: 'first_name' }],
      warnings: [
        { row: 3, file_row: 8, message: 'Duplicate of row 7 of the file: the same name and ZIP code' },
        { row: 5, file_row: 10, message: 'Duplicate of row 5 of the file: the same name and ZIP code' },
      ],
    });
    await call('PUT', `${id}/mappings`, { body: { mappings: mappings.slice(0, 2) } });
    expect(await call('GET', `${id}/findings`)).toMatchObject({ status: 400, body: { code: 'job_not_ready' } });
  });
});

describe('a viewer', () => {
  test('sees a list’s counts and fields, but no header: it may be a person', async () => {
    const id = await take('First,Last,Zoltan Quux\nAnn,Lee,Alton\nJim,Roe,Cairo\n');
    const headers = ['First', 'Last', 'Zoltan Quux'];
    const mappings = headers.map((source, index) => ({
      source,
      target: ['first_name', 'last_name', 'custom_fields.zoltan_quux'][index],
    }));
    expect((await call('PUT', `${id}/mappings`, { body: { mappings } })).status).toBe(200);
    await call('POST', `${id}/validate`);
    await app.call('POST', '/api/import-templates', { body: { name: `Of ${id}`, job_id: id } });
    const paths = [`/api/tenants/${tenant.id}/list-loader/history`, '/api/import-templates', '/api/learned-mappings'];
    for (const end of ['', '/mappings', '/status']) paths.push(`/api/tenants/${tenant.id}/list-loader/${id}${end}`);
    const textsFor = async (options: object) => {
      const answers = await Promise.all(paths.map((path) => app.call('GET', path, options)));
      expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
      return answers.map(({ body }) => JSON.stringify(body)).join('\n');
    };
    const { token } = await app.userOf('viewer');
    expect(await textsFor({})).toMatch(/Zoltan Quux/);
    const seen = await textsFor({ token });
    expect(seen).not.toMatch(/Zoltan/i);
    expect(seen).toContain('"source":"Column 1","target":"first_name"');
  });
});
