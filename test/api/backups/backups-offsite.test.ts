import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type App, startApp } from '../../harness/app/app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { S3Server } from '../../harness/servers/s3.ts';
import { inboxOf } from '../incidents/incident-answers.ts';

interface Answer {
  id: string;
  status: string;
  backup_path: string;
  sha256: string;
  remote: { state: string; bucket: string; key: string; error: string | null } | null;
  drill: { ok: boolean; differences: string[] } | null;
  detail?: string;
}

let directory: string;
let app: App;
let s3: S3Server;
let tenant: TenantAnswer;
const { signal } = new AbortController();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-elsewhere-'));
  const repository = (await makeFixtureRepository(join(directory, 'repository'))).path;
  s3 = await S3Server.start();
  app = await startApp({ healthTimeoutMs: 20_000 });
  tenant = await newTenant(repository);
});
afterAll(async () => {
  const { body } = await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants?limit=500');
  for (const { id } of body.tenants) await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
  await app.stop();
  await s3.destroy();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  await set({
    backup_s3_bucket: s3.bucket,
    backup_s3_endpoint: s3.endpoint,
    backup_s3_prefix: 'tenantry/here',
    backup_s3_access_key: s3.accessKey,
    backup_s3_secret_key: s3.secretKey,
  });
});

async function newTenant(repository: string): Promise<TenantAnswer> {
  const { id } = await makeTenant(app, repository);
  expect(await deploy(app, id, { target_version: 'v1.0.0' })).toMatchObject({ status: 'success', error: null });
  return getTenant(app, id);
}
async function set(values: Record<string, string>): Promise<void> {
  for (const [key, value] of Object.entries(values))
    expect((await app.call('PUT', `/api/settings/${key}`, { body: { value } })).status).toBe(200);
}
const path = (rest = '', id = tenant.id) => `/api/tenants/${id}/backups${rest}`;
async function backUp(id = tenant.id): Promise<Answer> {
  const { status, body } = await app.call<Answer>('POST', path('', id));
  expect([status, body]).toEqual([201, expect.objectContaining({ status: 'complete' })]);
  return body;
}
const get = async (id: string) => (await app.call<Answer>('GET', path(`/${id}`))).body;
const remove = (id: string) => app.call('DELETE', path(`/${id}`));
const copyElsewhere = () => app.manager.app.backups.copyOffsite(signal);
const keyOf = ({ remote }: Answer): string => remote?.key ?? '';

/** Changes the store as time would, in a separate process. */
function inStore(statement: string): void {
  const code = 'new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec(process.argv[2])';
  const file = join(app.directory, 'data', 'tenantry.db');
  execFileSync(process.execPath, ['-e', code, file, statement], { stdio: 'ignore' });
}
const longAgo = "'2026-01-01 00:00:00.000 +00:00'";

async function flipBit(file: string): Promise<void> {
  const bytes = await readFile(file);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 0b100;
  await writeFile(file, bytes);
}

test('copies a backup in a separate step, in several parts, byte for byte; keys stay secret', async () => {
  const big = join(tenant.directory, 'data', 'big.bin');
  await mkdir(join(tenant.directory, 'data'), { recursive: true });
  await writeFile(big, randomBytes(18 * 1024 ** 2));
  const backup = await backUp();
  await rm(big);
  expect(backup.remote).toEqual({
    state: 'stored',
    bucket: 'backups',
    key: `tenantry/here/${tenant.slug}/${backup.backup_path.split('/').at(-1)}`,
    error: null,
    tried_at: expect.any(String),
  });
  expect((await readFile(s3.fileOf(keyOf(backup)))).equals(await readFile(backup.backup_path))).toBe(true);
  const { body } = await app.call<{ deployments: { id: string }[] }>('GET', `/api/tenants/${tenant.id}/deployments`);
  const operation = await app.call<{ steps: object[]; logs: string }>(
    'GET',
    `/api/deployments/${body.deployments[0]?.id}`,
  );
  expect(operation.body.steps).toMatchObject([
    { name: 'Back up', status: 'success' },
    { name: 'Copy to the bucket', status: 'success' },
  ]);
  const settings = await app.call<{ text: string }>('GET', '/api/settings');
  expect(JSON.stringify(settings.body)).not.toContain(s3.secretKey);
  await remove(backup.id);
});

test('fetches a missing file for a restore, a drill and a download', async () => {
  const backup = await backUp();
  const bytes = await readFile(backup.backup_path);
  await rm(backup.backup_path);
  const { status, body } = await app.call('POST', path(`/${backup.id}/restore`), { body: {} });
  expect([status, body.backup_id]).toEqual([200, backup.id]);
  await rm(backup.backup_path);
  const drill = await app.call<Answer>('POST', path(`/${backup.id}/verify`));
  expect(drill.body.drill).toMatchObject({ ok: true, differences: [] });
  await rm(backup.backup_path);
  const url = `${app.url}${path(`/${backup.id}/download`)}`;
  const authorization = `Bearer ${app.token}`;
  const answers = await Promise.all([
    fetch(url, { headers: { authorization } }),
    fetch(url, { headers: { authorization, range: 'bytes=10-19' } }),
  ]);
  const [whole, part] = await Promise.all(answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())));
  expect(whole?.equals(bytes)).toBe(true);
  expect(part?.equals(bytes.subarray(10, 20))).toBe(true);
  expect((await stat(backup.backup_path)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(app.directory, 'data', 'backups', '.work'))).toEqual([]);
});

test('rejects a damaged copy by its SHA-256, and leaves nothing locally', async () => {
  const backup = await backUp();
  await rm(backup.backup_path);
  await flipBit(s3.fileOf(keyOf(backup)));
  const restored = await app.call<Answer>('POST', path(`/${backup.id}/restore`), { body: {} });
  expect([restored.status, restored.body.detail]).toEqual([409, expect.stringContaining('SHA-256')]);
  expect((await app.call('GET', path(`/${backup.id}/download`))).status).toBe(409);
  expect((await app.call('POST', path(`/${backup.id}/verify`))).status).toBe(409);
  const { drill } = await get(backup.id);
  expect(drill).toMatchObject({ ok: false, differences: [expect.stringContaining('SHA-256')] });
  await expect(stat(backup.backup_path)).rejects.toThrow('ENOENT');
  // An unavailable copy is not reported as a damaged one.
  await s3.down();
  const away = await app.call<Answer>('POST', path(`/${backup.id}/verify`));
  expect([away.status, away.body.detail]).toEqual([
    409,
    expect.stringContaining('could not be downloaded from the bucket'),
  ]);
  expect((await get(backup.id)).drill).toEqual(drill);
  await s3.up();
  await rm(s3.fileOf(keyOf(backup)));
  const gone = await app.call<Answer>('POST', path(`/${backup.id}/restore`), { body: {} });
  expect([gone.status, gone.body.detail]).toEqual([409, expect.stringContaining('no such object')]);
});

test('a bucket that fails again is an alert, once a day for all tenants', async () => {
  await set({ backup_s3_secret_key: 'another' });
  const both = [await backUp(), await backUp()];
  const alerts = async () => (await inboxOf(app)).filter(({ key }) => key.startsWith('copies/'));
  expect(await alerts()).toEqual([]);
  inStore(`UPDATE backups SET remote_tried_at = ${longAgo} WHERE remote_state = 'pending'`);
  await copyElsewhere();
  const found = await until(alerts, ({ length }) => length > 0);
  expect(found).toMatchObject([{ severity: 'error', title: 'Backups are not copied off-site' }]);
  expect(found[0]?.text).toContain('secret key is wrong');
  await set({ backup_s3_secret_key: s3.secretKey });
  inStore(`UPDATE backups SET remote_tried_at = ${longAgo} WHERE remote_state = 'pending'`);
  await copyElsewhere();
  for (const { id } of both) expect((await get(id)).remote).toMatchObject({ state: 'stored' });
});

test.each([
  ['the service is unavailable', () => s3.down(), () => s3.up(), 'connection refused'],
  [
    'the secret key is wrong',
    () => set({ backup_s3_secret_key: 'another' }),
    () => set({ backup_s3_secret_key: s3.secretKey }),
    'secret key is wrong',
  ],
  [
    'no key is set',
    () => set({ backup_s3_access_key: '' }),
    () => set({ backup_s3_access_key: s3.accessKey }),
    'backup_s3_access_key',
  ],
  [
    'there is no such bucket',
    () => set({ backup_s3_bucket: 'elsewhere' }),
    () => set({ backup_s3_bucket: s3.bucket }),
    'no such bucket',
  ],
])('keeps the backup if %s, and copies it later', async (_what, breakIt, repairIt, reason) => {
  await breakIt();
  const backup = await backUp();
  expect(backup.remote).toMatchObject({ state: 'pending', error: expect.stringContaining(reason) });
  const { body } = await app.call<{ deployments: { id: string }[] }>('GET', `/api/tenants/${tenant.id}/deployments`);
  const operation = await app.call<{ status: string; steps: object[] }>(
    'GET',
    `/api/deployments/${body.deployments[0]?.id}`,
  );
  expect(operation.body).toMatchObject({ status: 'success', steps: [{}, { status: 'skipped' }] });
  const warnings = await app.call<{ logs: { message: string }[] }>('GET', '/api/logs?level=warning');
  expect(warnings.body.logs[0]?.message).toContain('not copied to the bucket');
  await repairIt();
  await copyElsewhere();
  expect((await get(backup.id)).remote?.state).toBe('pending');
  inStore(`UPDATE backups SET remote_tried_at = ${longAgo} WHERE id = '${backup.id}'`);
  await copyElsewhere();
  expect((await get(backup.id)).remote).toMatchObject({ state: 'stored', error: null });
  expect((await readFile(s3.fileOf(keyOf(await get(backup.id))))).length).toBeGreaterThan(0);
});

test('deletes the copy with its backup, or as soon as the service is available again', async () => {
  const [one, other] = [await backUp(), await backUp()];
  expect(await s3.keys()).toEqual(expect.arrayContaining([keyOf(one), keyOf(other)]));
  expect((await remove(one.id)).status).toBe(200);
  expect(await s3.keys()).not.toContain(keyOf(one));
  await s3.down();
  expect((await remove(other.id)).status).toBe(200);
  expect((await app.call('GET', path(`/${other.id}`))).status).toBe(404);
  await s3.up();
  expect(await s3.keys()).toContain(keyOf(other));
  inStore(`UPDATE backup_removals SET tried_at = ${longAgo}`);
  await copyElsewhere();
  expect(await s3.keys()).not.toContain(keyOf(other));
});

test('retention removes copies of its own schedule’s backups only', async () => {
  const { path: repository } = await makeFixtureRepository(join(directory, 'another'));
  const other = await newTenant(repository);
  const keep = { last: 1, daily: 0, weekly: 0, monthly: 0 };
  const { schedules } = app.manager.app.backups;
  const schedule = (id: string, cron: string, kept: object) =>
    app.call('PUT', `/api/tenants/${id}/backup-schedule`, { body: { cron, keep: kept } });
  await schedule(tenant.id, '0 3 * * *', keep);
  await schedule(other.id, '0 4 * * *', { ...keep, last: 3 });
  const scheduled = async ({ slug, id }: TenantAnswer) => {
    const { body } = await app.call<{ backups: Answer[] }>('GET', path('?kind=scheduled', id));
    const keys = body.backups.map(keyOf);
    const there = (await s3.keys()).filter((key) => key.includes(`/${slug}/`));
    return { rows: keys.length, objects: keys.filter((key) => there.includes(key)).length, there: there.length };
  };
  const before = (await scheduled(tenant)).there;
  for (let run = 0; run < 3; run += 1) {
    inStore(`UPDATE backup_schedules SET counted_from = ${longAgo}`);
    await schedules.runDue(signal);
  }
  await copyElsewhere();
  expect(await scheduled(tenant)).toEqual({ rows: 1, objects: 1, there: before + 1 });
  expect(await scheduled(other)).toEqual({ rows: 3, objects: 3, there: 3 });
  for (const { id } of [tenant, other]) await schedule(id, '', keep);

  expect((await app.call('DELETE', `/api/tenants/${other.id}?remove_files=true`)).status).toBe(200);
  await copyElsewhere();
  expect((await s3.keys()).filter((key) => key.includes(`/${other.slug}/`))).toEqual([]);
  expect((await scheduled(tenant)).objects).toBe(1);
});

test('copies nothing without a bucket', async () => {
  await set({ backup_s3_bucket: '' });
  const before = await s3.keys();
  expect((await backUp()).remote).toBeNull();
  await copyElsewhere();
  expect(await s3.keys()).toEqual(before);
});
