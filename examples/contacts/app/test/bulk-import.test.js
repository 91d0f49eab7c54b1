import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { onEachEngine, startApi } from './support.js';

const MAPPINGS = { first: 'first_name', last: 'last_name', mail: 'email', cell: 'cell_phone', zip: 'zip' };
const HEADER = 'first,last,mail,cell,zip';

/** Puts a list into the import directory and imports it. */
async function importer(t, engine) {
  const api = await startApi(t, engine);
  const put = async (rows, name = 'list.csv') => {
    const path = join(api.environment.IMPORT_DIR, name);
    await writeFile(path, [HEADER, ...rows].join('\n'));
    return path;
  };
  const load = async (rows, options = {}) =>
    api.call('POST', '/api/persons/bulk-import', {
      file_path: await put(rows),
      mappings: MAPPINGS,
      batch_id: 'imp_1',
      ...options,
    });
  return { ...api, put, load };
}

const figures = ({ body }) => [body.total, body.imported, body.updated, body.duplicates, body.failed];

onEachEngine('bulk import', (engine) => {
  test('brings in people with tags, custom fields and where they came from', async (t) => {
    const { load, call } = await importer(t, engine);
    const answer = await load(['Ada,Example,ada@example.org,555-0101,62701', '"Zoë, dite Z",Müller,,,'], {
      mappings: { ...MAPPINGS, cell: 'custom_fields.cell', zip: 'skip' },
      list_name: 'Supporters',
      tags: ['autumn'],
    });
    assert.deepEqual(answer.body, {
      batch_id: 'imp_1',
      total: 2,
      imported: 2,
      updated: 0,
      duplicates: 0,
      failed: 0,
      errors: [],
    });
    const { body } = await call('GET', '/api/persons');
    const [ada, zoe] = body.persons;
    assert.equal(`${zoe.first_name} ${zoe.last_name}`, 'Zoë, dite Z Müller');
    assert.deepEqual(ada.custom_fields, { cell: '555-0101' });
    assert.deepEqual(ada.tags, ['autumn']);
    assert.deepEqual(
      [ada.zip, ada.import_source, ada.import_batch_id, ada.import_row, ada.import_filename],
      [null, 'Supporters', 'imp_1', 1, 'list.csv'],
    );
    const original = { first: 'Ada', last: 'Example', mail: 'ada@example.org', cell: '555-0101', zip: '62701' };
    assert.deepEqual(ada.original_data, original);
  });

  test('names the rows that do not fit and takes the others', async (t) => {
    const { load } = await importer(t, engine);
    const answer = await load([
      'Ada,Example,,,',
      ',Example,,,',
      'Ben,Example,nonsense,,',
      'Cleo,"Exa"mple,,,,too,many',
    ]);
    assert.deepEqual(figures(answer), [4, 2, 0, 0, 2]);
    assert.deepEqual(answer.body.errors, [
      { row: 2, message: 'first_name: is required' },
      { row: 3, message: 'email: is not an e-mail address' },
    ]);
  });

  test('knows people by e-mail, or by name with phone or zip', async (t) => {
    const { load } = await importer(t, engine);
    await load(['Ada,Example,ada@example.org,(217) 555-0101,62701']);
    const again = [
      'Ada,Married,ADA@example.org,,',
      'ADA,example,,+1 217 555 0101,',
      'Ada,Example,,,62701',
      'Ada,Example,daughter@example.org,,62701',
      'Ada,Example,,,99999',
      'Ada,Example,,,99999',
    ];
    assert.deepEqual(figures(await load(again, { batch_id: 'imp_2' })), [6, 2, 0, 4, 0]);
    const anyway = await load(['Ada,Example,ada@example.org,,'], { batch_id: 'imp_3', skip_duplicates: false });
    assert.deepEqual(figures(anyway), [1, 1, 0, 0, 0]);
  });

  test('updates what the list says and keeps the rest', async (t) => {
    const { load, call } = await importer(t, engine);
    const { body: ada } = await call('POST', '/api/persons', {
      first_name: 'Ada',
      last_name: 'Example',
      email: 'ada@example.org',
      zip: '62701',
      status: 'inactive',
      tags: ['donor'],
    });
    const rows = ['Ada,Example,ada@example.org,555-0101,', 'Ada,Example,,555-0101,62702', 'Ben,Example,,,'];
    const answer = await load(rows, { update_existing: true, tags: ['autumn'] });
    assert.deepEqual(figures(answer), [3, 1, 2, 0, 0]);
    const { body } = await call('GET', `/api/persons/${ada.id}`);
    assert.deepEqual(body, {
      ...ada,
      cell_phone: '555-0101',
      zip: '62702',
      tags: ['autumn', 'donor'],
      updated_at: body.updated_at,
    });
  });

  test('a repeated batch adds no one and answers the same figures', async (t) => {
    const { load, call } = await importer(t, engine);
    const rows = ['Ada,Example,,,1', 'Ada,Example,,,1', ',x,,,', 'Ben,Example,,,'];
    const first = await load(rows, { skip_duplicates: true });
    assert.deepEqual(figures(first), [4, 2, 0, 1, 1]);
    assert.deepEqual((await load(rows, { skip_duplicates: true })).body, first.body);
    assert.deepEqual(figures(await load(rows, { skip_duplicates: false })), [4, 3, 0, 0, 1]);
    assert.equal((await call('GET', '/api/persons/count')).body.total, 3);
  });

  test('a batch in several files brings in each row once, however often a file comes', async (t) => {
    const { load, call } = await importer(t, engine);
    const parts = [['Ada,Example,,,1', 'Ben,Example,,,2'], ['Cleo,Example,,,3']];
    const send = (part) => load(parts[part - 1], { part, row_offset: part === 1 ? 0 : 2, skip_duplicates: false });
    for (const part of [1, 2, 2, 1]) assert.equal((await send(part)).body.imported, parts[part - 1].length);
    const { body } = await call('GET', '/api/persons');
    assert.deepEqual(
      body.persons.map(({ first_name, import_row }) => [first_name, import_row]),
      [
        ['Ada', 1],
        ['Ben', 2],
        ['Cleo', 3],
      ],
    );
  });

  test('keeps the row as it was and where it came from, as the manager says', async (t) => {
    const { put, call } = await importer(t, engine);
    const path = await put([]);
    await writeFile(path, 'first_name,last_name,original.Name\nAda,Example,"EXAMPLE, ADA"\n');
    const { status } = await call('POST', '/api/persons/bulk-import', {
      file_path: path,
      mappings: { first_name: 'first_name', last_name: 'last_name', 'original.Name': 'skip' },
      batch_id: 'imp_1',
      import_source: 'Spring list',
      import_filename: 'spring.xlsx',
      import_date: '2026-03-01T10:00:00.000Z',
    });
    assert.equal(status, 200);
    const [ada] = (await call('GET', '/api/persons')).body.persons;
    assert.deepEqual(ada.original_data, { Name: 'EXAMPLE, ADA' });
    assert.deepEqual(
      [ada.import_source, ada.import_filename, ada.import_date],
      ['Spring list', 'spring.xlsx', '2026-03-01T10:00:00.000Z'],
    );
  });

  test('takes a batch back, but for people somebody has talked to', async (t) => {
    const { load, call } = await importer(t, engine);
    await load(['Own,Person,own@example.org,,'], { batch_id: 'imp_0' });
    await load(Array.from({ length: 1_001 }, (_, index) => `P${index},Example,p${index}@example.org,,`));
    const { body } = await call('GET', '/api/persons?search=p7@example.org');
    const talk = { channel: 'phone', summary: 'Will help', happened_at: '2026-03-01T10:00:00.000Z' };
    assert.equal((await call('POST', `/api/persons/${body.persons[0].id}/communications`, talk)).status, 201);
    const removed = { batch_id: 'imp_1', removed: 1_000, kept: 1 };
    assert.deepEqual((await call('DELETE', '/api/persons/bulk-import/imp_1')).body, removed);
    assert.deepEqual((await call('DELETE', '/api/persons/bulk-import/imp_1')).body, { ...removed, removed: 0 });
    assert.equal((await call('GET', '/api/persons/count')).body.total, 2);
  });

  test('reports who exists already, and changes nothing', async (t) => {
    const { load, put, call } = await importer(t, engine);
    await load(['Ada,Example,ada@example.org,,62701']);
    const file_path = await put([
      'Ben,Example,,,1',
      'Ada,Else,ADA@example.org,,',
      ',,,,',
      'Ada,Example,,,62701',
      'Ben,Example,,,1',
    ]);
    const answer = await call('POST', '/api/persons/bulk-import/check', { file_path, mappings: MAPPINGS });
    assert.deepEqual(answer.body, { total: 5, duplicates: 2, rows: [2, 4] });
    assert.equal((await call('GET', '/api/persons/count')).body.total, 1);
  });

  test('two imports at once find each other', async (t) => {
    const { load } = await importer(t, engine);
    const rows = Array.from({ length: 500 }, (_, index) => `P${index},Example,p${index}@example.org,,`);
    const answers = await Promise.all(['imp_1', 'imp_2'].map((batch_id) => load(rows, { batch_id })));
    assert.deepEqual(answers.map((answer) => answer.body.imported).toSorted(), [0, 500]);
  });

  test('stops when the unit stops, and goes on where the batch is repeated', async (t) => {
    const { load, stopping, call } = await importer(t, engine);
    stopping.abort();
    const answer = await load(['Ada,Example,,,']);
    assert.equal(answer.status, 503);
    assert.equal((await call('GET', '/api/persons/count')).body.total, 0);
  });
});

test('refuses files outside the import directory, whichever way they are named', async (t) => {
  const { call, environment, put } = await importer(t, 'sqlite');
  const outside = await mkdtemp(join(tmpdir(), 'outside-'));
  await writeFile(join(outside, 'secret.csv'), HEADER);
  const directory = environment.IMPORT_DIR;
  await symlink(outside, join(directory, 'link'));
  await mkdir(`${directory}-other`);
  t.after(() => Promise.all([rm(outside, { recursive: true }), rm(`${directory}-other`, { recursive: true })]));
  await writeFile(join(`${directory}-other`, 'list.csv'), HEADER);
  await put([], '..list.csv');

  const status = async (file_path) =>
    (await call('POST', '/api/persons/bulk-import', { file_path, mappings: MAPPINGS, batch_id: 'b' })).status;
  for (const path of [
    '/etc/passwd',
    join(outside, 'secret.csv'),
    `${directory}/link/secret.csv`,
    `${directory}/../${outside.split('/').at(-1)}/secret.csv`,
    `${directory}-other/list.csv`,
    `${directory}/missing.csv`,
    `${directory}/nul\0.csv`,
    directory,
  ])
    assert.equal(await status(path), 400, path);
  assert.equal(await status(`${directory}/..list.csv`), 200);
});

test('refuses mappings that do not fit the file', async (t) => {
  const { load } = await importer(t, 'sqlite');
  const detail = async (mappings) => {
    const { status, body } = await load(['Ada,Example,,,'], { mappings });
    assert.equal(status, 400);
    return body.detail;
  };
  assert.match(await detail({ first: 'first_name' }), /no column is mapped to last_name/);
  assert.match(await detail({ ...MAPPINGS, zip: 'shoe_size' }), /shoe_size is no field/);
  assert.match(await detail({ ...MAPPINGS, zip: 'custom_fields.' }), /is no field/);
  assert.match(await detail({ ...MAPPINGS, zip: 'email' }), /email is the target of two columns/);
  assert.match(await detail({ ...MAPPINGS, town: 'city' }), /no column town/);
});

test('a hundred thousand rows go through', async (t) => {
  const { load } = await importer(t, 'sqlite');
  const rows = Array.from({ length: 100_000 }, (_, index) => `First${index},Last,p${index}@example.org,,${index}`);
  const answer = await load(rows);
  assert.equal(answer.body.imported, 100_000);
});
