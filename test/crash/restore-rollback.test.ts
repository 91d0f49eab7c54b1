import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ManagerProcess, makeManagerProcess } from '../harness/app/manager-process.ts';
import { makeFixtureRepository } from '../harness/data/fixture-repository.ts';
import { type DeploymentAnswer, databaseFileIn, type TenantAnswer, until } from '../harness/data/tenants.ts';

/** An application that is unhealthy while a file HOLD exists, and whose migrations fail if a file FAIL exists. */
const server = `
const { existsSync } = require('node:fs');
require('node:http').createServer((request, response) => {
  if (request.url === '/pid') return response.end(String(process.pid));
  const held = existsSync(process.env.HOLD);
  response.writeHead(held ? 503 : 200, { 'content-type': 'application/json' }).end(JSON.stringify({ status: held ? 'unhealthy' : 'healthy' }));
}).listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit(0));
`;
const migrate = `
const { DatabaseSync } = require('node:sqlite');
new DatabaseSync(process.env.DATABASE_URL.replace('sqlite:', '')).exec('CREATE TABLE IF NOT EXISTS notes (text TEXT)');
if (require('node:fs').existsSync(process.env.FAIL)) process.exit(7);
`;

let directory: string;
let manager: ManagerProcess;
let tenant: TenantAnswer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-rollback-'));
  const repository = await makeFixtureRepository(join(directory, 'repository'));
  await repository.release('v2.0.0', { 'server.js': server, 'migrate.js': migrate });
  await repository.release('v2.1.0', { 'NEWS.md': 'Version 2.1.0\n' });
  manager = await makeManagerProcess({ RUNTIME: 'process' });
  await manager.start();
  const slug = `back-${Date.now().toString(36)}`;
  const names = { name: slug, slug, domain: `${slug}.example.org`, api_domain: `api.${slug}.example.org` };
  const made = await call<TenantAnswer>('POST', '/api/tenants', { ...names, git_repo: repository.path });
  tenant = made;
  const custom_env = { HOLD: join(directory, 'hold'), FAIL: join(directory, 'fail') };
  await call('PUT', `/api/tenants/${tenant.id}/config`, { custom_env });
  await deploy('v2.0.0');
  await mkdir(join(data(), 'uploads'), { recursive: true });
});
afterAll(async () => {
  await manager.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
  expect(await manager.stop()).toBe(0);
  await manager.remove();
  await rm(directory, { recursive: true, force: true });
});

async function call<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await manager.call<T>(method, path, { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const data = (): string => join(manager.directory, 'data', 'tenants', tenant.slug, 'data');

async function latest(): Promise<DeploymentAnswer> {
  const { deployments } = await call<{ deployments: { id: string }[] }>('GET', `/api/tenants/${tenant.id}/deployments`);
  return call<DeploymentAnswer>('GET', `/api/deployments/${deployments[0]?.id}`);
}
const ended = () => until(latest, ({ status }) => !['queued', 'running'].includes(status));

async function deploy(version: string): Promise<void> {
  await call('POST', `/api/tenants/${tenant.id}/deploy`, { target_version: version });
  expect(await ended()).toMatchObject({ status: 'success', error: null });
}

/** As a user of the application: a row, and a file. */
async function write(text: string): Promise<void> {
  sql(`INSERT INTO notes VALUES ('${text}')`);
  await writeFile(join(data(), 'uploads', text), text);
}
async function written(): Promise<{ rows: string[]; files: string[] }> {
  return { rows: sql('SELECT text FROM notes ORDER BY text'), files: (await readdir(join(data(), 'uploads'))).sort() };
}
/** In a separate process, like the tenant's. */
function sql(statement: string): string[] {
  const script =
    'const d = new (require("node:sqlite").DatabaseSync)(process.argv[1]); console.log(JSON.stringify(d.prepare(process.argv[2]).all().map((row) => row.text)))';
  const args = ['-e', script, databaseFileIn(data()), statement];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}
const pidOfApi = () =>
  fetch(`http://127.0.0.1:${tenant.backend_port}/pid`).then(
    (answer) => answer.text(),
    () => undefined,
  );

test('keeps what people write after a failed restore was rolled back, though the manager is killed before it has ended', async () => {
  await write('in the backup');
  const backup = await call<{ id: string }>('POST', `/api/tenants/${tenant.id}/backups`);
  await deploy('v2.1.0');
  await write('before the restore');

  // Its migrations fail; then the previous state is restored and served again, though not healthy yet.
  await writeFile(join(directory, 'fail'), '');
  await writeFile(join(directory, 'hold'), '');
  const before = await pidOfApi();
  const path = `/api/tenants/${tenant.id}/backups/${backup.id}/restore`;
  const asked = manager.call('POST', path, { body: { allow_version_mismatch: true } }).catch(() => undefined);
  await until(pidOfApi, (pid) => pid !== undefined && pid !== before);
  expect((await latest()).status).toBe('running');
  await write('after the rollback');
  await manager.kill();
  await asked;

  await rm(join(directory, 'hold'));
  await manager.start();
  expect(await ended()).toMatchObject({ status: 'failed', error: { step: 'Run migrations' } });
  const all = ['after the rollback', 'before the restore', 'in the backup'];
  expect(await written()).toEqual({ rows: all, files: all });
  expect((await call('GET', `/api/tenants/${tenant.id}`)).status).toBe('running');
});
