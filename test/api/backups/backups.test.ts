import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { newId } from '../../../src/lib/ids.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { countPeople, importSupporters, supporters } from '../../harness/data/contacts.ts';
import {
  type DeploymentAnswer,
  databaseFileIn,
  deploy,
  endOf,
  getTenant,
  makeTenant,
  setEnvironment,
  type TenantAnswer,
  until,
} from '../../harness/data/tenants.ts';
import { alertsAbout } from '../incidents/incident-answers.ts';

interface BackupAnswer {
  id: string;
  status: string;
  kind: string;
  backup_path: string;
  size_bytes: number;
  sha256: string;
  row_counts: Record<string, number>;
  error: string | null;
  drill: { ok: boolean; differences: string[] } | null;
  loss: { tables: object[]; bytes: object | null; confirmed_by: string | null } | null;
  verified_at: string | null;
  code?: string;
  detail?: string;
}

let directory: string;
let repository: string;
let app: App;
let tenant: TenantAnswer;
/** Another one at the same version, which damages or moves data. */
let other: TenantAnswer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-backups-'));
  repository = (await makeContactsRepository(join(directory, 'repository'))).path;
  app = await startApp({ healthTimeoutMs: 10_000 });
  [tenant, other] = [await newTenant(), await newTenant()];
  const deployments = [tenant, other].map(({ id }) => deploy(app, id, { target_version: 'v1.0.0' }));
  for (const deployment of await Promise.all(deployments))
    expect(deployment).toMatchObject({ status: 'success', error: null });
  await importSupporters(app, tenant.id);
});
afterAll(async () => {
  const { body } = await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants?limit=500');
  for (const { id } of body.tenants) await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
  expect(await filesOf(app)).toEqual([]);
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

async function newTenant(): Promise<TenantAnswer> {
  return getTenant(app, (await makeTenant(app, repository)).id);
}

/** All files in the backup directory. */
async function filesOf({ directory: home }: App): Promise<string[]> {
  const found = await readdir(join(home, 'data', 'backups'), { recursive: true, withFileTypes: true }).catch(() => []);
  return found.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const ofTenant = (path: string, id = tenant.id) => `/api/tenants/${id}/backups${path}`;
async function backUp(id = tenant.id): Promise<BackupAnswer> {
  const { status, body } = await app.call<BackupAnswer>('POST', ofTenant('', id));
  expect([status, body]).toEqual([201, expect.objectContaining({ status: 'complete' })]);
  return body;
}
const restore = (backup: string, body: object = {}, id = tenant.id) =>
  app.call('POST', ofTenant(`/${backup}/restore`, id), { body });
const list = async (id = tenant.id) =>
  (await app.call<{ backups: BackupAnswer[]; total: number }>('GET', ofTenant('', id))).body;

/** Changes a SQLite file in a separate process: a second library in this one would break the first one's locks. */
function change(path: string, statements: string): void {
  const script = 'new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec(process.argv[2])';
  execFileSync(process.execPath, ['-e', script, path, statements], { stdio: 'ignore' });
}

/** Stops a tenant and makes its database file unreadable; returns a function that repairs it. */
async function breakDatabase({ id, directory }: TenantAnswer): Promise<() => Promise<void>> {
  await app.call('POST', `/api/tenants/${id}/stop`);
  const path = databaseFileIn(join(directory, 'data'));
  const good = await readFile(path);
  await writeFile(path, 'no database at all, but long enough to look at it');
  return () => writeFile(path, good);
}

function forgetPeople(of = tenant): void {
  change(databaseFileIn(join(of.directory, 'data')), 'PRAGMA foreign_keys = OFF; DELETE FROM persons');
}

test('a backup whose deletion is interrupted is no longer complete, and is deleted on the next attempt', async () => {
  const { id } = await backUp();
  const script = 'new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec(process.argv[2])';
  const store = join(app.directory, 'data', 'tenantry.db');
  const change = (statement: string) => execFileSync(process.execPath, ['-e', script, store, statement]);
  change("CREATE TRIGGER keep BEFORE DELETE ON backups BEGIN SELECT RAISE(ABORT, 'kept'); END");
  try {
    expect((await app.call('DELETE', ofTenant(`/${id}`))).status).toBe(500);
  } finally {
    change('DROP TRIGGER keep');
  }
  expect((await list()).backups.find((backup) => backup.id === id)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('delete it again'),
  });
  expect((await app.call('DELETE', ofTenant(`/${id}`))).status).toBe(200);
  expect((await list()).backups.map((backup) => backup.id)).not.toContain(id);
});

describe('a backup', () => {
  test('is one file of mode 0600, described by the catalogue, and listed among the deployments', async () => {
    await mkdir(join(tenant.directory, 'data', 'uploads'), { recursive: true });
    await writeFile(join(tenant.directory, 'data', 'uploads', 'photo.jpg'), 'a photo');
    const backup = await backUp();
    expect(backup).toMatchObject({
      kind: 'manual',
      version: 'v1.0.0',
      engine: 'sqlite',
      created_by: 'admin',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      row_counts: expect.objectContaining({ persons: supporters.people }),
    });
    const file = await stat(backup.backup_path);
    expect([file.mode & 0o777, file.size]).toEqual([0o600, backup.size_bytes]);
    expect(await filesOf(app)).toHaveLength(1);
    expect((await app.call('GET', ofTenant(`/${backup.id}`))).body).toEqual(backup);
    const { body } = await app.call<{ deployments: { kind: string; status: string }[] }>(
      'GET',
      `/api/tenants/${tenant.id}/deployments`,
    );
    expect(body.deployments[0]).toMatchObject({ kind: 'backup', status: 'success' });
  });

  test('is also started by the specified remote route', async () => {
    const { status, body } = await app.call('POST', `/api/tenants/${tenant.id}/remote/backup`);
    expect(status).toBe(200);
    expect(body).toEqual({
      message: expect.any(String),
      backup_path: expect.stringContaining(tenant.slug),
      size_mb: expect.any(Number),
    });
    expect((await stat(String(body.backup_path))).size).toBeGreaterThan(0);
  });

  test('is downloaded whole or in ranges, with a ticket or the header', async () => {
    const backup = await backUp();
    const path = ofTenant(`/${backup.id}/download`);
    const fetchRange = (headers: Record<string, string>) =>
      fetch(app.url + path, { headers: { authorization: `Bearer ${app.token}`, ...headers } });
    const whole = await fetch(await app.withTicket(path));
    expect(whole.headers.get('etag')).toBe(`"${backup.sha256}"`);
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(bytes.equals(await readFile(backup.backup_path))).toBe(true);
    const part = await fetchRange({ range: 'bytes=100-199' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-199/${bytes.length}`]);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 200))).toBe(true);
    expect((await fetchRange({ range: `bytes=${bytes.length}-` })).status).toBe(416);
    const again = (etag: string) => fetchRange({ range: 'bytes=0-9', 'if-range': `"${etag}"` });
    expect([(await again(backup.sha256)).status, (await again('another')).status]).toEqual([206, 200]);
  });

  test('is rejected before the first deployment; another tenant’s is not found', async () => {
    const fresh = await newTenant();
    for (const path of [`/api/tenants/${fresh.id}/backups`, `/api/tenants/${fresh.id}/remote/backup`]) {
      const { status, body } = await app.call('POST', path);
      expect([status, body.code]).toEqual([409, 'not_deployed']);
    }
    expect(await list(fresh.id)).toMatchObject({ backups: [], total: 0 });
    const { id } = await backUp();
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/download'],
      ['POST', '/restore'],
      ['POST', '/verify'],
      ['DELETE', ''],
    ] as const)
      expect(
        (await app.call(method, ofTenant(`/${id}${path}`, fresh.id), method === 'POST' ? { body: {} } : {})).status,
      ).toBe(404);
    expect((await app.call('GET', ofTenant(`/${newId()}`))).status).toBe(404);
  });

  test('is deleted with its file', async () => {
    const backup = await backUp();
    expect((await app.call('DELETE', ofTenant(`/${backup.id}`))).status).toBe(200);
    expect((await app.call('GET', ofTenant(`/${backup.id}`))).status).toBe(404);
    await expect(stat(backup.backup_path)).rejects.toThrow('ENOENT');
  });

  test('keeps its record with the reason and no file if it fails', async () => {
    const repair = await breakDatabase(other);
    const before = await filesOf(app);
    const { status, body } = await app.call('POST', ofTenant('', other.id));
    expect([status, body.code]).toEqual([502, 'tenant_error']);
    const { backups } = await list(other.id);
    expect(backups).toMatchObject([{ status: 'failed', error: expect.stringContaining('database') }]);
    expect(await filesOf(app)).toEqual(before);
    expect((await app.call('GET', ofTenant(`/${backups[0]?.id}/download`, other.id))).status).toBe(409);
    expect((await restore(backups[0]?.id ?? '', {}, other.id)).status).toBe(409);
    await repair();
  });
});

describe('a restore', () => {
  test('restores data and files, keeps the configuration, and backs up the previous state', async () => {
    const photo = join(tenant.directory, 'data', 'uploads', 'photo.jpg');
    await writeFile(photo, 'a photo');
    const backup = await backUp();
    forgetPeople();
    await writeFile(photo, 'overwritten');
    await writeFile(join(tenant.directory, 'data', 'later.txt'), 'later');
    await setEnvironment(app, tenant.id, { GREETING: 'hello' });
    const { status, body } = await restore(backup.id);
    expect([status, body]).toEqual([
      200,
      {
        message: 'Restored',
        backup_id: backup.id,
        duration_seconds: expect.any(Number),
        safety_backup_id: expect.any(String),
      },
    ]);
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
    expect(await readFile(photo, 'utf8')).toBe('a photo');
    await expect(stat(join(tenant.directory, 'data', 'later.txt'))).rejects.toThrow('ENOENT');
    expect((await getTenant(app, tenant.id)).status).toBe('running');

    const safety = (await list()).backups.find(({ id }) => id === body.safety_backup_id);
    expect(safety).toMatchObject({ kind: 'safety', status: 'complete', row_counts: { persons: 0 } });
    expect((await restore(safety?.id ?? '')).status).toBe(200);
    expect(await countPeople(app, tenant.id)).toBe(0);
    expect(await readFile(photo, 'utf8')).toBe('overwritten');
    expect((await restore(backup.id)).status).toBe(200);
    const { body: listed } = await app.call<{ deployments: { id: string; kind: string }[] }>(
      'GET',
      `/api/tenants/${tenant.id}/deployments`,
    );
    const { body: operation } = await app.call<{ steps: { name: string; status: string }[] }>(
      'GET',
      `/api/deployments/${listed.deployments[0]?.id}`,
    );
    expect(operation.steps.map(({ name }) => name)).toEqual([
      'Check backup',
      'Stop services',
      'Safety backup',
      'Restore database',
      'Restore files',
      'Put into place',
      'Run migrations',
      'Start services',
      'Health check',
    ]);
  });

  test.each([
    ['truncated', async (path: string, size: number) => truncate(path, size - 700)],
    ['flipped in one bit', async (path: string, size: number) => flipBit(path, Math.floor(size * 0.6))],
    ['flipped in one bit of its manifest', async (path: string) => flipBit(path, 700)],
    ['gone', async (path: string) => rm(path)],
  ])('rejects a backup that is %s before changing anything, and verify finds it', async (_how, damage) => {
    const backup = await backUp();
    await damage(backup.backup_path, backup.size_bytes);
    const before = await list();
    const { status, body } = await restore(backup.id);
    expect([status, body.code]).toEqual([409, 'invalid_state']);
    expect(body.detail).toMatch(/damaged|bytes instead of|missing/);
    expect((await list()).total).toBe(before.total);
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
    const verified = await app.call<BackupAnswer>('POST', ofTenant(`/${backup.id}/verify`));
    expect([verified.status, verified.body]).toEqual([
      409,
      expect.objectContaining({
        code: 'invalid_state',
        detail: expect.stringMatching(/not intact: .*(damaged|instead of|missing)/),
      }),
    ]);
    expect((await list()).backups.find(({ id }) => id === backup.id)?.drill).toMatchObject({
      ok: false,
      differences: [expect.stringMatching(/damaged|instead of|missing/)],
    });
    await app.call('DELETE', ofTenant(`/${backup.id}`));
  });

  test('a drill that finds a damaged backup is a critical alert', async () => {
    const found = await alertsAbout(app, 'drill');
    const title = `${tenant.name}: Restore drill found differences: the backup is not intact`;
    const link = `/tenants/${tenant.id}/backups`;
    expect(found).toContainEqual(expect.objectContaining({ severity: 'critical', title, link }));
  });

  test('rejects another backup’s file under its name', async () => {
    const [one, other] = [await backUp(), await backUp()];
    await copyFile(other.backup_path, one.backup_path);
    const { status, body } = await restore(one.id);
    expect([status, body.code]).toEqual([409, 'invalid_state']);
  });

  test('into another tenant restores the data and keeps the target’s names and keys', async () => {
    const backup = await backUp();
    expect((await app.call('POST', `/api/tenants/${other.id}/start`)).status).toBe(200);
    const environment = async () =>
      (await readFile(join(other.directory, '.env'), 'utf8')).replace(/^DATABASE_URL=.*$/m, '');
    const before = await environment();
    expect(await countPeople(app, other.id)).toBe(0);
    expect((await restore(backup.id, { target_tenant_id: other.id })).status).toBe(200);
    expect(await countPeople(app, other.id)).toBe(supporters.people);
    expect(await environment()).toBe(before);
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
  });

  test('of a stopped tenant leaves it stopped', async () => {
    const backup = await backUp();
    await app.call('POST', `/api/tenants/${tenant.id}/stop`);
    forgetPeople();
    expect((await restore(backup.id)).status).toBe(200);
    expect((await getTenant(app, tenant.id)).status).toBe('stopped');
    expect((await app.call('POST', `/api/tenants/${tenant.id}/start`)).status).toBe(200);
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
  });

  test('replaces a damaged database, which has no safety backup', async () => {
    const backup = await backUp();
    await app.call('POST', `/api/tenants/${tenant.id}/stop`);
    await writeFile(databaseFileIn(join(tenant.directory, 'data')), 'not a database');
    const failed = await restore(backup.id);
    expect(failed).toMatchObject({ status: 502, body: { code: 'tenant_error' } });
    expect(failed.body.detail).toMatch(
      /The current data can’t be backed up: .* may be lost, restore with without_safety_backup$/,
    );
    expect(await restore(backup.id, { without_safety_backup: true })).toMatchObject({
      status: 200,
      body: { safety_backup_id: null },
    });
    expect((await app.call('POST', `/api/tenants/${tenant.id}/start`)).status).toBe(200);
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
  });

  test('is rolled back if the services are unhealthy afterwards', async () => {
    const good = await backUp(other.id);
    expect(good.row_counts.persons).toBe(supporters.people);
    await app.call('POST', `/api/tenants/${other.id}/stop`);
    change(databaseFileIn(join(other.directory, 'data')), 'PRAGMA foreign_keys = OFF; DROP TABLE persons');
    const bad = await backUp(other.id);
    expect((await restore(good.id, {}, other.id)).status).toBe(200);
    await app.call('POST', `/api/tenants/${other.id}/start`);
    const { status, body } = await restore(bad.id, {}, other.id);
    expect([status, body.code]).toEqual([502, 'tenant_error']);
    expect(await countPeople(app, other.id)).toBe(supporters.people);
    expect((await getTenant(app, other.id)).status).toBe('running');

    // The present data stays until the restored data is in use, also without a backup of it.
    expect((await restore(bad.id, { without_safety_backup: true }, other.id)).status).toBe(502);
    expect(await getTenant(app, other.id)).toMatchObject({ status: 'running' });
    expect(await countPeople(app, other.id)).toBe(supporters.people);
    await until(
      () => alertsAbout(app, 'backup'),
      (found) => found.some(({ severity, title }) => severity === 'error' && title === `${other.name}: Restore failed`),
    );
  });
});

describe('a backup with far less than the one before', () => {
  test('is a critical alert, and older backups stay until someone confirms it', async () => {
    const id = tenant.id;
    const fill =
      'CREATE TABLE contacts AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150) SELECT i FROM n';
    change(databaseFileIn(join(tenant.directory, 'data')), fill);
    await app.call('PUT', '/api/settings/backup_keep_safety', { body: { value: '1' } });
    const safety = async () =>
      (await list()).backups.filter((one) => one.kind === 'safety' && one.status === 'complete').map((one) => one.id);
    const full = await backUp();
    for (let at = 0; at < 2; at += 1) expect((await restore(full.id)).status).toBe(200);
    const before = await safety();
    change(databaseFileIn(join(tenant.directory, 'data')), 'DELETE FROM contacts WHERE i > 20');
    const less = await backUp();
    expect(less.loss).toEqual({
      tables: [{ table: 'contacts', before: 150, after: 20 }],
      bytes: null,
      confirmed_by: null,
    });
    await until(
      () => alertsAbout(app, 'backup'),
      (found) => found.some(({ severity, title }) => severity === 'critical' && /far less than/.test(title)),
    );
    const { schedules } = app.manager.app.backups;
    await schedules.applyRetention(new AbortController().signal);
    expect(await safety()).toEqual(before);
    const confirm = (of: string) => app.call<BackupAnswer>('POST', ofTenant(`/${of}/confirm-loss`, id));
    expect((await confirm(full.id)).status).toBe(409);
    expect((await confirm(less.id)).body.loss).toMatchObject({ confirmed_by: 'admin' });
    await schedules.applyRetention(new AbortController().signal);
    expect(await safety()).toHaveLength(1);
    await app.call('PUT', '/api/settings/backup_keep_safety', { body: { value: '5' } });
  });
});

test('a sparse file that is larger than a backup may read fails it, with the way out', async () => {
  const sparse = join(tenant.directory, 'data', 'sparse');
  await writeFile(sparse, '');
  await truncate(sparse, 1.2e9);
  await app.call('PUT', '/api/settings/backup_max_gb', { body: { value: '1' } });
  const { status, body } = await app.call('POST', `/api/tenants/${tenant.id}/backups`, { body: {} });
  expect([status, body.detail]).toEqual([
    expect.any(Number),
    expect.stringMatching(/more to read than 1 GB .*backup_max_gb/),
  ]);
  await app.call('PUT', '/api/settings/backup_max_gb', { body: { value: '500' } });
  await rm(sparse);
  expect((await backUp()).status).toBe('complete');
});

describe('a tenant whose data is gone', () => {
  test.each([
    ['its database', (of: TenantAnswer) => rm(databaseFileIn(join(of.directory, 'data')))],
    ['its directory', (of: TenantAnswer) => rm(join(of.directory, 'data'), { recursive: true })],
  ])('(%s) is not started or deployed, and restored from a backup', async (_what, lose) => {
    await app.call('POST', `/api/tenants/${other.id}/start`);
    const backup = await backUp(other.id);
    await app.call('POST', `/api/tenants/${other.id}/stop`);
    await lose(other);
    for (const path of ['start', 'restart', 'deploy', 'upgrade', 'backups']) {
      const body = path === 'deploy' || path === 'upgrade' ? { body: {} } : {};
      const refused = await app.call('POST', `/api/tenants/${other.id}/${path}`, body);
      expect([path, refused.status, refused.body.code]).toEqual([path, 409, 'data_missing']);
      expect(refused.body.detail).toMatch(new RegExp(`is gone: .*${other.slug}.* does not exist.*${backup.id}`));
    }
    await until(
      () => app.call<{ items: { kind: string; tenant: { id: string } }[] }>('GET', '/api/attention'),
      ({ body }) => body.items[0]?.kind === 'data_missing' && body.items[0].tenant.id === other.id,
    );
    // Otherwise within five minutes.
    await app.manager.reportConditions();
    await until(
      () => alertsAbout(app, 'incident'),
      (found) => found.some(({ title }) => title === `${other.name}: The data is gone`),
    );
    expect((await restore(backup.id, {}, other.id)).status).toBe(200);
    expect((await app.call('POST', `/api/tenants/${other.id}/start`)).status).toBe(200);
    expect(await countPeople(app, other.id)).toBe(supporters.people);
  });

  test('is deployed without it by an administrator alone', async () => {
    await app.call('POST', `/api/tenants/${other.id}/stop`);
    await rm(join(other.directory, 'data'), { recursive: true });
    const body = { accept_data_loss: true };
    const { token } = await app.userOf('operator');
    const refused = await app.call('POST', `/api/tenants/${other.id}/deploy`, { body, token });
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    expect(await deploy(app, other.id, body)).toMatchObject({ status: 'success' });
    expect(await countPeople(app, other.id)).toBe(0);
  });
});

describe('a restore drill', () => {
  test('loads the backup next to the tenant’s data, compares, and leaves nothing behind', async () => {
    const backup = await backUp();
    const before = (await readdir(join(tenant.directory, 'data'))).sort();
    const { status, body } = await app.call<BackupAnswer>('POST', ofTenant(`/${backup.id}/verify`));
    expect([status, body.drill]).toEqual([200, expect.objectContaining({ ok: true, differences: [] })]);
    expect((await readdir(join(tenant.directory, 'data'))).sort()).toEqual(before);
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
  });

  test('finds a backup without the expected rows', async () => {
    const backup = await backUp();
    const counts = JSON.stringify({ ...backup.row_counts, persons: 1 });
    change(
      join(app.directory, 'data', 'tenantry.db'),
      `UPDATE backups SET row_counts = '${counts}' WHERE id = '${backup.id}'`,
    );
    const { status, body } = await app.call<BackupAnswer>('POST', ofTenant(`/${backup.id}/verify`));
    const differences = [`persons has ${supporters.people} instead of 1`];
    expect([status, body]).toEqual([
      409,
      expect.objectContaining({ detail: expect.stringContaining(differences[0] ?? '') }),
    ]);
    expect((await list()).backups[0]?.drill).toMatchObject({ ok: false, differences });
  });
});

describe('a client that does not wait', () => {
  test('gets the deployment of a backup, a drill and a restore, and finds their results', async () => {
    const begin = async (path: string): Promise<DeploymentAnswer & { kind: string }> => {
      const { status, body } = await app.call<{ deployment_id: string }>('POST', `${ofTenant(path)}?wait=false`, {
        body: {},
      });
      expect([status, body]).toEqual([202, { deployment_id: expect.any(String), status: 'running' }]);
      return (await endOf(app, body.deployment_id)) as DeploymentAnswer & { kind: string };
    };
    expect(await begin('')).toMatchObject({ kind: 'backup', status: 'success', put_back: null });
    const [made] = (await list()).backups;
    expect(made).toMatchObject({ kind: 'manual', status: 'complete', drill: null });

    const drill = await begin(`/${made?.id}/verify`);
    expect(drill).toMatchObject({ kind: 'drill', status: 'success' });
    expect(drill.steps.map(({ name, status }) => [name, status])).toEqual([
      ['Check backup', 'success'],
      ['Load into a scratch database', 'success'],
      ['Compare with the backup', 'success'],
    ]);
    expect((await list()).backups[0]).toMatchObject({ id: made?.id, drill: { ok: true, differences: [] } });

    await truncate(made?.backup_path ?? '', (made?.size_bytes ?? 0) - 700);
    expect(await begin(`/${made?.id}/verify`)).toMatchObject({
      status: 'failed',
      steps: [{ status: 'success' }, { status: 'skipped', reason: 'the file is not whole' }, { status: 'failed' }],
    });
    expect((await list()).backups[0]).toMatchObject({ id: made?.id, drill: { ok: false } });
    expect(await begin(`/${made?.id}/restore`)).toMatchObject({
      kind: 'restore',
      status: 'failed',
      error: { step: 'Check backup' },
      put_back: true,
    });
    // The restore's log keeps its file open until shortly after the end is visible.
    await until(
      () => app.call('DELETE', ofTenant(`/${made?.id}`)),
      ({ status }) => status === 200,
    );
    expect((await app.call('POST', `${ofTenant(`/${newId()}/restore`)}?wait=false`, { body: {} })).status).toBe(404);
  });
});

describe('a schedule', () => {
  const scheduled = (path = '', options: { body?: unknown } = {}, method = 'GET') =>
    app.call(method, `/api/tenants/${tenant.id}/backup-schedule${path}`, options);
  /** Changes the store as time would. */
  const inStore = (statement: string): void => change(join(app.directory, 'data', 'tenantry.db'), statement);
  const kinds = async () => (await list()).backups.map(({ kind }) => kind).sort();
  const { signal } = new AbortController();

  test('makes a missed backup once, and keeps the configured number of its own kind and tenant', async () => {
    const { schedules } = app.manager.app.backups;
    expect((await scheduled()).body).toMatchObject({ cron: null, effective_cron: '', next_run_at: null });
    expect((await scheduled('', { body: { cron: 'at night' } }, 'PUT')).status).toBe(400);
    const keep = { last: 1, daily: 0, weekly: 0, monthly: 0 };
    const { status, body } = await scheduled('', { body: { cron: '0 3 * * *', keep } }, 'PUT');
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ effective_cron: '0 3 * * *', effective_keep: keep }),
    ]);

    const before = await kinds();
    await schedules.runDue(signal);
    expect(await kinds()).toEqual(before);
    for (let run = 0; run < 2; run += 1) {
      inStore("UPDATE backup_schedules SET counted_from = '2026-01-01 00:00:00.000 +00:00'");
      await schedules.runDue(signal);
      await schedules.runDue(signal);
    }
    expect(await kinds()).toEqual([...before, 'scheduled'].sort());
    await schedules.applyRetention(signal);
    expect(await kinds()).toEqual(
      [...before, 'scheduled']
        .filter((kind) => kind !== 'safety')
        .concat(before.filter((kind) => kind === 'safety').slice(0, 5))
        .sort(),
    );
    // A clock that was years ahead and has been corrected: the next run is computed from now.
    inStore("UPDATE backup_schedules SET counted_from = '2126-01-01 00:00:00.000 +00:00'");
    expect((await scheduled()).body).toMatchObject({ next_run_at: expect.stringMatching(/^2126/) });
    await schedules.runDue(signal);
    expect(Date.parse(String((await scheduled()).body.next_run_at)) - Date.now()).toBeLessThan(25 * 3_600_000);
    expect((await scheduled('', { body: { cron: '' } }, 'PUT')).body).toMatchObject({
      effective_cron: '',
      next_run_at: null,
    });
    expect((await app.call('PUT', '/api/settings/backup_schedule', { body: { value: 'never' } })).status).toBe(400);
  });

  test('retries a failed run a few times, then waits for its next time', async () => {
    const { schedules } = app.manager.app.backups;
    const path = `/api/tenants/${other.id}/backup-schedule`;
    await app.call('PUT', path, { body: { cron: '0 3 1 1 *' } });
    const regular = (await app.call<{ next_run_at: string }>('GET', path)).body.next_run_at;
    const where = `WHERE tenant_id = '${other.id}'`;
    const statuses = async () =>
      (await list(other.id)).backups.filter(({ kind }) => kind === 'scheduled').map(({ status }) => status);
    const next = async () => Date.parse((await app.call<{ next_run_at: string }>('GET', path)).body.next_run_at);
    const passTime = () =>
      inStore(
        `UPDATE backup_schedules SET retry_at = '2026-01-01 00:00:00.000 +00:00' ${where} AND retry_at IS NOT NULL`,
      );

    const repair = await breakDatabase(other);
    inStore(`UPDATE backup_schedules SET counted_from = '2020-01-01 00:00:00.000 +00:00' ${where}`);
    for (let failures = 1; failures <= 4; failures += 1) {
      await schedules.runDue(signal);
      expect(await statuses()).toEqual(Array.from({ length: failures }, () => 'failed'));
      // Not before its time.
      await schedules.runDue(signal);
      expect((await statuses()).length).toBe(failures);
      if (failures < 4) expect(await next()).toBeLessThan(Date.now() + 2 * 3_600_000);
      passTime();
    }
    expect(await next()).toBe(Date.parse(regular));
    await schedules.runDue(signal);
    expect((await statuses()).length).toBe(4);

    inStore(`UPDATE backup_schedules SET counted_from = '2020-01-01 00:00:00.000 +00:00' ${where}`);
    await schedules.runDue(signal);
    await repair();
    passTime();
    await schedules.runDue(signal);
    expect((await statuses())[0]).toBe('complete');
    expect(await next()).toBe(Date.parse(regular));
    await app.call('PUT', path, { body: { cron: '' } });
  });

  test('of the settings applies to tenants without their own, from when it is set', async () => {
    const { schedules } = app.manager.app.backups;
    await scheduled('', { body: { cron: null } }, 'PUT');
    await app.call('PUT', '/api/settings/backup_schedule', { body: { value: '30 2 * * *' } });
    expect((await scheduled()).body).toMatchObject({ cron: null, effective_cron: '30 2 * * *' });
    const before = await kinds();
    await schedules.runDue(signal);
    await schedules.runDue(signal);
    expect(await kinds()).toEqual(before);
    await app.call('PUT', '/api/settings/backup_schedule', { body: { value: '' } });
  });
});

describe('data of another version', () => {
  test('is rejected at a restore unless allowed', async () => {
    const backup = await backUp(other.id);
    expect(await deploy(app, other.id, { target_version: 'v1.1.0' })).toMatchObject({ status: 'success', error: null });
    const { status, body } = await restore(backup.id, {}, other.id);
    expect([status, body.code]).toEqual([409, 'invalid_state']);
    expect(body.detail).toContain('allow_version_mismatch');
    expect(await restore(backup.id, { allow_version_mismatch: true }, other.id)).toMatchObject({ status: 200 });
  });
});

describe('the backups of a deleted tenant', () => {
  test.each([true, false])('remove_files=%s', async (remove) => {
    const gone = remove ? tenant : other;
    const { backup_path, size_bytes } = await backUp(gone.id);
    expect((await app.call('DELETE', `/api/tenants/${gone.id}?remove_files=${remove}`)).status).toBe(200);
    await expect(stat(backup_path)).rejects.toThrow('ENOENT');
    const kept = join(app.directory, 'data', 'kept', `${gone.id}-backups`);
    if (remove) await expect(stat(kept)).rejects.toThrow('ENOENT');
    else expect((await stat(join(kept, backup_path.split('/').at(-1) ?? ''))).size).toBe(size_bytes);
  });
});

async function flipBit(path: string, at: number): Promise<void> {
  const bytes = await readFile(path);
  bytes[at] = (bytes[at] ?? 0) ^ 0b100;
  await writeFile(path, bytes);
}
