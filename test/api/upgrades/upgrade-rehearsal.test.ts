import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type App, sharedApp } from '../../harness/app/app.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { databaseFileIn, deploy, endOf, getTenant, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';

let directory: string;
let app: App;
let repository: FixtureRepository;
let tenant: TenantAnswer;

const migration = (body: string): string => `
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(process.env.DATABASE_URL.replace('sqlite:', ''));
console.log('script ' + process.argv[2]);
${body}
`;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-rehearsal-'));
  repository = await makeFixtureRepository(join(directory, 'repository'));
  await repository.release('v2.0.0', {
    'migrate.js': migration(`
      if (process.argv[2] === 'first') {
        database.exec('CREATE TABLE IF NOT EXISTS tags (name TEXT NOT NULL, PRIMARY KEY (name))');
        database.exec('ALTER TABLE persons ADD COLUMN city TEXT NOT NULL DEFAULT \\'\\'');
      } else {
        database.exec('CREATE UNIQUE INDEX by_id ON persons (id); DELETE FROM persons WHERE id > 3; DROP TABLE old');
      }`),
  });
  await repository.release('v2.1.0', {
    'migrate.js': migration(`
      if (process.argv[2] === 'second') {
        for (let line = 1; line <= 40; line += 1) console.log('line ' + line);
        console.error('there is a duplicate');
        process.exit(9);
      }
      database.exec('CREATE TABLE half (id INTEGER)');`),
  });
  await repository.release('v2.2.0', { 'install.js': "console.log('no such package'); process.exit(4);\n" });
  await repository.release('v2.3.0', { 'tenant.yaml': 'version: 2\n', 'install.js': '' });
  app = await sharedApp();
  const { id } = await makeTenant(app, repository.path);
  expect(await deploy(app, id, { target_version: 'v1.0.0' })).toMatchObject({ status: 'success', error: null });
  tenant = await getTenant(app, id);
  inTenant('INSERT INTO persons VALUES (1), (2), (3), (4), (5); CREATE TABLE old (id INTEGER)');
});
afterAll(async () => {
  await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
  await rm(directory, { recursive: true, force: true });
});

const data = () => join(tenant.directory, 'data');
/** In a separate process, like the tenant's. */
function inTenant(statement: string): string {
  const script =
    'const d = new (require("node:sqlite").DatabaseSync)(process.argv[1]); console.log(/^SELECT/.test(process.argv[2]) ? JSON.stringify(d.prepare(process.argv[2]).all()) : d.exec(process.argv[2]))';
  const args = ['-e', script, databaseFileIn(data()), statement];
  return execFileSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] }).toString();
}
const everything = () =>
  inTenant('SELECT * FROM sqlite_master') + inTenant('SELECT * FROM persons') + inTenant('SELECT * FROM old');
const rehearse = (body: object) =>
  app.call<Record<string, unknown>>('POST', `/api/tenants/${tenant.id}/upgrade?rehearse=true`, { body });
const started = async () =>
  (await fetch(`http://127.0.0.1:${tenant.backend_port}/env`)).json() as Promise<{ PORT: string; APP_VERSION: string }>;

/** What must be unchanged after any rehearsal. */
async function untouched<T>(work: () => Promise<T>): Promise<T> {
  const before = { everything: everything(), files: (await readdir(data())).sort(), environment: await started() };
  const answer = await work();
  const after = { everything: everything(), files: (await readdir(data())).sort(), environment: await started() };
  expect(after).toEqual(before);
  expect(await getTenant(app, tenant.id)).toMatchObject({ status: 'running' });
  expect((await app.call('GET', `/api/tenants/${tenant.id}/version`)).body).toMatchObject({
    deployed_version: 'v1.0.0',
    failed_versions: [],
  });
  expect(await readdir(join(app.directory, 'data', 'backups', '.scratch'))).toEqual([]);
  expect(await readdir(join(app.directory, 'data', 'backups', '.work')).catch(() => [])).toEqual([]);
  return answer;
}

test('reports the migrations’ changes to tables, columns, indexes and rows, on a copy', async () => {
  const { status, body } = await untouched(() => rehearse({ target_version: 'v2.0.0' }));
  expect([status, body]).toEqual([
    200,
    {
      status: 'rehearsed',
      ok: true,
      previous_version: 'v1.0.0',
      new_version: 'v2.0.0',
      commit: repository.commits['v2.0.0'],
      duration_seconds: expect.any(Number),
      copy_seconds: expect.any(Number),
      migrations_run: [
        { name: 'first', duration_seconds: expect.any(Number) },
        { name: 'second', duration_seconds: expect.any(Number) },
      ],
      failure: null,
      schema_changes: [
        {
          table: 'old',
          change: 'removed',
          columns: [{ name: 'id', change: 'removed', before: 'INTEGER', after: null }],
          indexes: [],
        },
        {
          table: 'persons',
          change: 'changed',
          columns: [{ name: 'city', change: 'added', before: null, after: "TEXT NOT NULL DEFAULT ''" }],
          indexes: [{ name: 'by_id', change: 'added', before: null, after: 'UNIQUE (id)' }],
        },
        {
          table: 'tags',
          change: 'added',
          columns: [{ name: 'name', change: 'added', before: null, after: 'TEXT NOT NULL' }],
          indexes: [{ name: 'PRIMARY KEY', change: 'added', before: null, after: 'PRIMARY KEY (name)' }],
        },
      ],
      row_counts: [
        { table: 'old', before: 0, after: null },
        { table: 'persons', before: 5, after: 3 },
        { table: 'tags', before: null, after: 0 },
      ],
      notes: [],
      deployment_id: expect.any(String),
    },
  ]);
  const operation = await app.call('GET', `/api/deployments/${body.deployment_id}`);
  expect(operation.body).toMatchObject({ kind: 'rehearsal', status: 'success' });
});

test('reports a failed migration: the script, and its last lines', async () => {
  const { status, body } = await untouched(() => rehearse({ target_version: 'v2.1.0' }));
  expect([status, body]).toEqual([
    200,
    expect.objectContaining({
      ok: false,
      failure: {
        step: 'Run migrations',
        script: 'second',
        message: expect.stringContaining('exit code 9'),
        output: expect.arrayContaining(['there is a duplicate', 'line 40']),
      },
      migrations_run: [expect.objectContaining({ name: 'first' }), expect.objectContaining({ name: 'second' })],
      schema_changes: [expect.objectContaining({ table: 'half', change: 'added' })],
    }),
  ]);
  expect((body.failure as { output: string[] }).output.length).toBeLessThanOrEqual(30);
});

test.each([
  ['can’t be built', 'v2.2.0', 'install'],
  ['does not keep the contract', 'v2.3.0', 'tenant.yaml'],
])('reports a version that %s', async (_what, version, said) => {
  const { status, body } = await untouched(() => rehearse({ target_version: version }));
  expect([status, body]).toEqual([200, expect.objectContaining({ ok: false, migrations_run: [] })]);
  expect(body.failure).toMatchObject({ step: 'Prepare', script: null, message: expect.stringContaining(said) });
});

test('a client that does not wait reads the report later', async () => {
  const ask = (version: string) =>
    app.call<{ deployment_id: string }>('POST', `/api/tenants/${tenant.id}/upgrade?rehearse=true&wait=false`, {
      body: { target_version: version },
    });
  const { status, body } = await ask('v2.1.0');
  expect([status, body]).toEqual([202, { deployment_id: expect.any(String), status: 'running' }]);
  const report = async () =>
    (await app.call<Record<string, unknown>>('GET', `/api/tenants/${tenant.id}/upgrade/${body.deployment_id}`)).body;
  expect(await report()).toMatchObject({ kind: 'rehearsal', failure: null, upgraded: null, rehearsed: null });
  await endOf(app, body.deployment_id);
  expect(await report()).toEqual({
    deployment_id: body.deployment_id,
    kind: 'rehearsal',
    status: 'success',
    previous_version: 'v1.0.0',
    new_version: 'v2.1.0',
    failure: null,
    upgraded: null,
    rehearsed: expect.objectContaining({
      ok: false,
      previous_version: 'v1.0.0',
      new_version: 'v2.1.0',
      failure: expect.objectContaining({ script: 'second' }),
    }),
  });
  // A deployment of another kind has no report, nor has another tenant's.
  const { body: all } = await app.call<{ deployments: { id: string; kind: string }[] }>(
    'GET',
    `/api/tenants/${tenant.id}/deployments`,
  );
  const deployed = all.deployments.find(({ kind }) => kind === 'deploy')?.id;
  const other = await makeTenant(app, repository.path);
  for (const path of [`${tenant.id}/upgrade/${deployed}`, `${other.id}/upgrade/${body.deployment_id}`])
    expect((await app.call('GET', `/api/tenants/${path}`)).status).toBe(404);
});

test('is rejected if the upgrade would be rejected', async () => {
  expect(await rehearse({ target_version: 'v1.0.0' })).toMatchObject({ status: 409, body: { code: 'already_latest' } });
  expect(await rehearse({ target_version: 'v9.9.9' })).toMatchObject({ status: 404 });
  expect((await app.call('POST', `/api/tenants/${tenant.id}/upgrade?rehearse=perhaps`, { body: {} })).status).toBe(400);
  const both = await Promise.all([rehearse({ target_version: 'v2.0.0' }), rehearse({ target_version: 'v2.0.0' })]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test('rehearses a stopped tenant, which stays stopped', async () => {
  await app.call('POST', `/api/tenants/${tenant.id}/stop`);
  expect(await rehearse({ target_version: 'v2.0.0' })).toMatchObject({ status: 200, body: { ok: true } });
  expect((await getTenant(app, tenant.id)).status).toBe('stopped');
});
