import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WorkerError } from '../../../src/lib/workers/worker-task.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import {
  type DeploymentAnswer,
  databaseFileIn,
  deploy,
  endOf,
  getDeployment,
  getTenant,
  makeTenant,
  type TenantAnswer,
  until,
} from '../../harness/data/tenants.ts';

interface UpgradeAnswer {
  status: string;
  previous_version: string | null;
  new_version: string | null;
  commit: string;
  migrations_run: string[];
  backup_path: string | null;
  details: string[];
  deployment_id: string;
  code?: string;
  detail?: string;
}

let directory: string;
let repository: FixtureRepository;
let app: App;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-upgrades-'));
  repository = await makeFixtureRepository(join(directory, 'repository'));
  app = await startApp({ healthTimeoutMs: 5_000 });
});
afterAll(async () => {
  const { body } = await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants?limit=500');
  for (const { id } of body.tenants) await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

/** A tenant at a version, with people. */
async function tenantAt(version: string, git = repository.path): Promise<TenantAnswer> {
  const { id } = await makeTenant(app, git);
  expect(await deploy(app, id, { target_version: version })).toMatchObject({ status: 'success', error: null });
  const tenant = await getTenant(app, id);
  inDatabase(tenant, 'INSERT INTO persons (id) VALUES (1), (2), (3)');
  return tenant;
}
const upgrade = (id: string, body: Record<string, unknown> = {}) =>
  app.call<UpgradeAnswer>('POST', `/api/tenants/${id}/upgrade`, { body });
const versionOf = async (id: string) => (await app.call('GET', `/api/tenants/${id}/version`)).body;

/** In a separate process, like the tenant's: two libraries in one process break each other's locks. */
function inDatabase({ directory: home }: TenantAnswer, statements: string): string {
  const script =
    'const d = new (require("node:sqlite").DatabaseSync)(process.argv[1]); d.exec(process.argv[2]); console.log(JSON.stringify(d.prepare("SELECT * FROM persons ORDER BY id").all()))';
  const options = { stdio: ['ignore', 'pipe', 'ignore'] as const };
  return String(
    execFileSync(process.execPath, ['-e', script, databaseFileIn(join(home, 'data')), statements], {
      ...options,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
}
const people = (tenant: TenantAnswer): string => inDatabase(tenant, 'SELECT 1');

const environmentOf = async ({ backend_port }: TenantAnswer): Promise<Record<string, string>> =>
  (await fetch(`http://127.0.0.1:${backend_port}/env`)).json() as Promise<Record<string, string>>;
const runs = async (tenant: TenantAnswer): Promise<string | undefined> =>
  (await environmentOf(tenant).catch(() => undefined))?.APP_VERSION;

let numbers = 0;
/** A later version than all others. */
async function newVersion(files: Record<string, string | null> = {}): Promise<string> {
  numbers += 1;
  const version = `v1.2.${numbers}`;
  await repository.release(version, { 'NEWS.md': version, ...files });
  return version;
}
/** The manifest with another start command of the API. */
const startedBy = (script: string) => repository.manifest.replace('node server.js api', `node ${script} api`);

const migrateBroken = `
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(process.env.DATABASE_URL.replace('sqlite:', ''));
if (process.argv[2] === 'first') { database.exec('ALTER TABLE persons ADD COLUMN half TEXT; UPDATE persons SET id = id + 100'); process.exit(0); }
console.error('duplicate column'); process.exit(7);
`;
const migrateWell = `
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(process.env.DATABASE_URL.replace('sqlite:', ''));
database.exec('CREATE TABLE IF NOT EXISTS persons (id INTEGER)');
const has = database.prepare("SELECT COUNT(*) AS n FROM pragma_table_info('persons') WHERE name = 'seen'").get().n;
if (!has) database.exec("ALTER TABLE persons ADD COLUMN seen TEXT DEFAULT 'no'");
console.log('migrated ' + process.argv[2]);
`;

describe('an upgrade', () => {
  test('to the latest: migrates data, answers every field, reports progress as a deployment', async () => {
    const tenant = await tenantAt('v1.0.0');
    const target = await newVersion({ 'migrate.js': migrateWell });
    expect(await versionOf(tenant.id)).toEqual({
      deployed_version: 'v1.0.0',
      deployed_ref: null,
      deployed_commit: repository.commits['v1.0.0'],
      latest_version: target,
      latest_commit: repository.commits[target],
      upgrade_available: true,
      failed_versions: [],
    });
    const { status, body } = await upgrade(tenant.id);
    expect([status, body]).toEqual([
      200,
      {
        status: 'success',
        previous_version: 'v1.0.0',
        new_version: target,
        commit: repository.commits[target],
        migrations_run: ['first', 'second'],
        backup_path: expect.stringContaining(tenant.slug),
        details: expect.arrayContaining([expect.stringContaining('Run migrations: 2 scripts run')]),
        deployment_id: expect.any(String),
      },
    ]);
    expect(JSON.parse(people(tenant))).toEqual([1, 2, 3].map((id) => ({ id, seen: 'no' })));
    expect(await environmentOf(tenant)).toMatchObject({ APP_VERSION: target, APP_COMMIT: body.commit });
    expect(await versionOf(tenant.id)).toMatchObject({ deployed_version: target, upgrade_available: false });
    const deployment = await getDeployment(app, body.deployment_id);
    expect(deployment).toMatchObject({ kind: 'upgrade', status: 'success', version: target, commit: body.commit });
    expect(deployment.steps.map(({ name }) => name)).toEqual([
      'Prepare',
      'Stop services',
      'Back up database',
      'Fetch code',
      'Install dependencies',
      'Run migrations',
      'Start services',
      'Health check',
    ]);
    expect(deployment.logs).toContain('migrated second');
    const backups = await app.call<{ backups: unknown[] }>('GET', `/api/tenants/${tenant.id}/backups`);
    expect(backups.body.backups).toEqual([
      expect.objectContaining({
        kind: 'upgrade',
        status: 'complete',
        version: 'v1.0.0',
        backup_path: body.backup_path,
      }),
    ]);
    expect((await getTenant(app, tenant.id)).status).toBe('running');
    expect((await upgrade(tenant.id)).body.code).toBe('already_latest');
    expect((await upgrade(tenant.id, { target_version: target })).body.code).toBe('already_latest');
    expect((await upgrade(tenant.id, { target_version: 'v1.0.0' })).body.code).toBe('downgrade_refused');
  });

  test('of a tenant whose services were never created leaves it pending, ready to start', async () => {
    const { id } = await makeTenant(app, repository.path);
    await deploy(app, id, { target_version: 'v1.0.0', skip_services: true });
    expect(await versionOf(id)).toMatchObject({ deployed_version: 'v1.0.0', deployed_commit: null });
    const failing = await newVersion({ 'tenant.yaml': startedBy('no-such-file.js') });
    expect((await upgrade(id, { target_version: failing })).body.detail).toContain('Rolled back');
    expect(await versionOf(id)).toMatchObject({ deployed_version: 'v1.0.0', deployed_commit: null });
    await repository.release('v1.1.6', { 'tenant.yaml': repository.manifest });
    expect((await upgrade(id, { target_version: 'v1.1.6' })).body).toMatchObject({ status: 'success' });
    const tenant = await getTenant(app, id);
    expect([tenant.status, await runs(tenant)]).toEqual(['pending', undefined]);
    expect((await app.call('POST', `/api/tenants/${id}/start`)).status).toBe(200);
    expect(await runs(tenant)).toBe('v1.1.6');
  });

  describe('one after another, of the same tenant,', () => {
    let tenant: TenantAnswer;
    beforeAll(async () => {
      tenant = await tenantAt('v1.0.0');
    });

    test('works without backup and migrations; then back with permission', async () => {
      const ahead = await upgrade(tenant.id, { target_version: 'v1.1.0', backup_db: false, run_migrations: false });
      expect(ahead.body).toMatchObject({ status: 'success', migrations_run: [], backup_path: null });
      expect(ahead.body.details).toContainEqual(expect.stringContaining('skipped, backup_db is false'));
      const back = await upgrade(tenant.id, { target_version: 'v1.0.0', allow_downgrade: true, backup_db: false });
      expect(back.body).toMatchObject({ previous_version: 'v1.1.0', new_version: 'v1.0.0', backup_path: null });
      expect(await runs(tenant)).toBe('v1.0.0');
      // Migrations ran: without a backup they could not have been rolled back.
      const { body } = await app.call<{ backups: { kind: string }[] }>('GET', `/api/tenants/${tenant.id}/backups`);
      expect(body.backups.map(({ kind }) => kind)).toEqual(['safety']);
    });

    test('that fails because of a worker of the manager does not count against the version', async () => {
      const target = await newVersion();
      const { runtime } = app.manager.app;
      const { prepareRelease } = runtime;
      runtime.prepareRelease = async () => {
        throw new WorkerError('no thread could be started');
      };
      try {
        expect(await upgrade(tenant.id, { target_version: target })).toMatchObject({
          status: 500,
          body: { code: 'internal_error' },
        });
      } finally {
        runtime.prepareRelease = prepareRelease;
      }
      expect((await versionOf(tenant.id)).failed_versions).toEqual([]);
      expect(await runs(tenant)).toBe('v1.0.0');
      expect(await upgrade(tenant.id, { target_version: target })).toMatchObject({
        status: 200,
        body: { new_version: target },
      });
    });

    test('gives a tenant without a key the manager’s key', async () => {
      const file = join(tenant.directory, '.env');
      const before = await readFile(file, 'utf8');
      await writeFile(file, before.replace(/^API_KEYS=.*\n/m, ''));
      expect((await upgrade(tenant.id, { target_version: await newVersion() })).status).toBe(200);
      expect(await readFile(file, 'utf8')).toContain(before.match(/^API_KEYS=.+$/m)?.[0]);
      expect((await app.call('GET', `/api/tenants/${tenant.id}/remote/stats`)).status).toBe(200);
    });

    test('of a stopped tenant leaves it stopped, whether it succeeds or not', async () => {
      const before = await runs(tenant);
      await app.call('POST', `/api/tenants/${tenant.id}/stop`);
      const bad = await newVersion({ 'tenant.yaml': startedBy('no-such-file.js') });
      expect((await upgrade(tenant.id, { target_version: bad })).body).toMatchObject({
        code: 'upgrade_failed',
        detail: expect.stringContaining(`is on ${before}, stopped as before`),
      });
      expect((await getTenant(app, tenant.id)).status).toBe('stopped');
      expect(await runs(tenant)).toBeUndefined();
      const good = await newVersion({ 'tenant.yaml': repository.manifest });
      const { body } = await upgrade(tenant.id, { target_version: good });
      expect(body.details).toContainEqual(expect.stringContaining('stopped again'));
      expect(await runs(tenant)).toBeUndefined();
      expect((await getTenant(app, tenant.id)).status).toBe('stopped');
      expect((await app.call('POST', `/api/tenants/${tenant.id}/start`)).status).toBe(200);
      expect(await runs(tenant)).toBe(good);
    });

    test('continues when the client disconnects', async () => {
      const target_version = await newVersion();
      const earlier = await newestOf(tenant.id);
      const hangUp = new AbortController();
      const asked = fetch(`${app.url}/api/tenants/${tenant.id}/upgrade`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ target_version }),
        signal: hangUp.signal,
      }).catch(() => undefined);
      const { id } = await until(
        () => newestOf(tenant.id),
        (newest) => newest.id !== earlier.id,
      );
      hangUp.abort();
      await asked;
      expect((await endOf(app, id)).status).toBe('success');
      expect(await runs(tenant)).toBe(target_version);
    });

    test('is rejected before the first deployment, during another operation, and for an invalid version', async () => {
      const fresh = await makeTenant(app, repository.path);
      expect((await upgrade(fresh.id)).body.code).toBe('not_deployed');
      expect(await versionOf(fresh.id)).toMatchObject({
        deployed_version: null,
        deployed_commit: null,
        latest_version: expect.stringMatching(/^v1\./),
        upgrade_available: false,
      });
      for (const target_version of ['v7.7.7', 'main', 'HEAD', '--upload-pack=x'])
        expect((await upgrade(tenant.id, { target_version })).body.code).toBe('not_found');
      const target_version = await newVersion();
      const [one, other] = await Promise.all([
        upgrade(tenant.id, { target_version }),
        upgrade(tenant.id, { target_version }),
      ]);
      expect([one.status, other.status].sort()).toEqual([200, 409]);
      expect([one.body.code, other.body.code]).toContain('operation_in_progress');
    });

    test('to a pre-release needs its name', async () => {
      await repository.release('v9.0.0-rc.1', { 'tenant.yaml': repository.manifest });
      expect(await versionOf(tenant.id)).toMatchObject({ latest_version: expect.stringMatching(/^v1\./) });
      const named = await upgrade(tenant.id, { target_version: 'v9.0.0-rc.1' });
      expect(named.body).toMatchObject({ new_version: 'v9.0.0-rc.1' });
      expect((await upgrade(tenant.id)).body.code).toBe('already_latest');
    });
  });

  test('continues under the next manager after an orderly stop, which a waiting client is informed of', async () => {
    const home = await mkdtemp(join(tmpdir(), 'tenantry-upgrades-stopped-'));
    const start = () => startApp({ directory: home, healthTimeoutMs: 5_000 });
    const first = await start();
    const { id } = await makeTenant(first, repository.path);
    await deploy(first, id, { target_version: 'v1.0.0' });
    await repository.release('v1.1.7', {
      'tenant.yaml': repository.manifest,
      'migrate.js': migrateWell.replace(/console\.log\(.*\);/, 'setTimeout(() => {}, 1_500);'),
    });
    const path = `/api/tenants/${id}/upgrade`;
    const asked = first.call<UpgradeAnswer>('POST', path, { body: { target_version: 'v1.1.7' } });
    const operation = await until(
      () => newestOf(id, first),
      ({ current_step }) => current_step === 'Run migrations',
    );
    await first.stop();
    expect((await asked).body).toMatchObject({ code: 'shutting_down', detail: expect.stringContaining(operation.id) });
    const second = await start();
    try {
      expect(await endOf(second, operation.id)).toMatchObject({ status: 'success', error: null });
      expect(await runs(await getTenant(second, id))).toBe('v1.1.7');
    } finally {
      await second.call('DELETE', `/api/tenants/${id}?remove_files=true`);
      await second.stop();
      await rm(home, { recursive: true, force: true });
    }
  });

  test('of a repository without tags goes to its head', async () => {
    const path = join(directory, 'untagged');
    await makeFixtureRepository(path);
    const git = async (...parameters: string[]) =>
      (
        await promisify(execFile)('git', ['-C', path, '-c', 'user.name=a', '-c', 'user.email=a@b', ...parameters])
      ).stdout.trim();
    await git('tag', '--delete', 'v1.0.0', 'v1.1.0');
    const { id } = await makeTenant(app, path);
    expect(await deploy(app, id)).toMatchObject({ status: 'success', version: null });
    const first = await git('rev-parse', 'HEAD');
    const none = { deployed_version: null, latest_version: null };
    expect(await versionOf(id)).toMatchObject({
      ...none,
      deployed_commit: first,
      latest_commit: first,
      upgrade_available: false,
    });
    await git('commit', '--quiet', '--allow-empty', '--message', 'More');
    const head = await git('rev-parse', 'HEAD');
    expect(await versionOf(id)).toMatchObject({ ...none, latest_commit: head, upgrade_available: true });
    expect((await upgrade(id)).body).toMatchObject({ previous_version: null, new_version: null, commit: head });
    expect(await versionOf(id)).toMatchObject({ deployed_commit: head, upgrade_available: false });
  });
});

async function newestOf(tenantId: string, at = app): Promise<DeploymentAnswer & { kind: string }> {
  const path = `/api/tenants/${tenantId}/deployments`;
  const { body } = await at.call<{ deployments: (DeploymentAnswer & { kind: string })[] }>('GET', path);
  return body.deployments[0] as DeploymentAnswer & { kind: string };
}

describe('a version that fails', () => {
  let tenant: TenantAnswer;
  let before: { people: string; env: string };
  beforeAll(async () => {
    await repository.release('v1.1.9', { 'tenant.yaml': repository.manifest, 'migrate.js': migrateWell });
    tenant = await tenantAt('v1.1.9');
    before = { people: people(tenant), env: await environment() };
  });

  /** Without the database: a rollback that restores one leaves the changed one. */
  const environment = async () =>
    (await readFile(join(tenant.directory, '.env'), 'utf8')).replace(/^DATABASE_URL=.*$/m, '');

  async function assertAsBefore(): Promise<void> {
    expect(await runs(tenant)).toBe('v1.1.9');
    expect(people(tenant)).toBe(before.people);
    expect(await environment()).toBe(before.env);
    expect((await getTenant(app, tenant.id)).status).toBe('running');
    const health = await app.call('POST', `/api/tenants/${tenant.id}/health-check`);
    expect(health.body.overall_status).toBe('healthy');
    expect(await app.manager.app.runtime.pendingChanges()).toEqual([]);
    expect(await versionOf(tenant.id)).toMatchObject({
      deployed_version: 'v1.1.9',
      deployed_commit: repository.commits['v1.1.9'],
    });
  }

  test.each<[string, Record<string, string | null>, string, string]>([
    ['build', { 'install.js': 'console.error("no such package"); process.exit(1);' }, 'Prepare', 'Nothing was changed'],
    ['manifest', { 'tenant.yaml': 'version: 2' }, 'Prepare', 'Nothing was changed'],
    [
      'migration',
      { 'migrate.js': migrateBroken },
      'Run migrations: Migration second ended with exit code 7',
      'Rolled back',
    ],
    [
      'start',
      { 'crash.js': 'console.error("cannot reach the moon"); process.exit(3);' },
      'Health check',
      'Rolled back',
    ],
    [
      'health',
      { 'unhealthy.js': "process.env.MODE = 'unhealthy'; require('./server.js');", 'migrate.js': migrateWell },
      'Health check',
      'Rolled back',
    ],
  ])('in its %s is rolled back, and recorded', async (what, files, step, after) => {
    const script = Object.keys(files).find((name) => ['crash.js', 'unhealthy.js'].includes(name));
    const manifest = { 'tenant.yaml': script ? startedBy(script) : repository.manifest };
    const version = await newVersion({ 'install.js': '', 'migrate.js': migrateWell, ...manifest, ...files });
    const { status, body } = await upgrade(tenant.id, { target_version: version });
    expect([status, body]).toEqual([502, expect.objectContaining({ code: 'upgrade_failed' })]);
    expect(body.detail).toContain(`The upgrade of ${tenant.slug} to ${version} failed: ${step}`);
    expect(body.detail).toContain(after);
    await assertAsBefore();
    // People could write to what was started.
    const { body: made } = await app.call<{ backups: object[] }>(
      'GET',
      `/api/tenants/${tenant.id}/backups?kind=safety`,
    );
    const kept = made.backups.filter((backup) => (backup as { version: string }).version === version);
    expect(kept).toHaveLength(step === 'Health check' ? 1 : 0);
    expect(await newestOf(tenant.id)).toMatchObject({
      kind: 'upgrade',
      status: 'failed',
      version: what === 'manifest' ? null : version,
    });
    expect((await versionOf(tenant.id)).failed_versions).toContainEqual({
      version,
      commit: repository.commits[version],
      failed_at: expect.any(String),
      reason: expect.stringContaining(step),
    });
  });

  test('is also reported later, and marked in the list of versions', async () => {
    const version = await newVersion({
      'install.js': '',
      'migrate.js': migrateBroken,
      'tenant.yaml': repository.manifest,
    });
    const path = `/api/tenants/${tenant.id}/upgrade`;
    const asked = await app.call<{ deployment_id: string }>('POST', `${path}?wait=false`, {
      body: { target_version: version },
    });
    expect(asked.status).toBe(202);
    const { deployment_id } = asked.body;
    expect(await endOf(app, deployment_id)).toMatchObject({ status: 'failed', put_back: true });
    expect((await app.call('GET', `${path}/${deployment_id}`)).body).toEqual({
      deployment_id,
      kind: 'upgrade',
      status: 'failed',
      previous_version: 'v1.1.9',
      new_version: version,
      failure: { rollback: 'done', reason: expect.stringContaining('runs v1.1.9 again, proven healthy') },
      upgraded: null,
      rehearsed: null,
    });
    await assertAsBefore();
    await repository.release('v1.9.0-rc.1', {});
    const { body } = await app.call<{ versions: { version: string }[]; total: number }>(
      'GET',
      `/api/tenants/${tenant.id}/versions?limit=500`,
    );
    const marks = { deployed: false, latest: false, pre_release: false, older: false, failure: null };
    const shown = (name: string) => body.versions.find((one) => one.version === name);
    expect(body.total).toBe(body.versions.length);
    expect(shown('v1.1.9')).toEqual({
      version: 'v1.1.9',
      commit: repository.commits['v1.1.9'],
      author: 'The contacts authors',
      date: expect.stringMatching(/^\d{4}-/),
      subject: 'Release v1.1.9',
      ...marks,
      deployed: true,
    });
    expect(shown('v1.0.0')).toMatchObject({ ...marks, older: true });
    expect(shown('v1.9.0-rc.1')).toMatchObject({ ...marks, pre_release: true });
    const order = body.versions.map((one) => one.version);
    expect(order.indexOf('v1.9.0-rc.1')).toBeLessThan(order.indexOf(version));
    expect(shown(version)).toMatchObject({
      ...marks,
      latest: true,
      failure: { failed_at: expect.any(String), reason: expect.stringContaining('Run migrations') },
    });
  });

  test('is also rolled back with the data if backup_db is false', async () => {
    const version = await newVersion({
      'install.js': '',
      'migrate.js': migrateBroken,
      'tenant.yaml': repository.manifest,
    });
    const { body } = await upgrade(tenant.id, { target_version: version, backup_db: false });
    expect(body.detail).toContain('Rolled back');
    await assertAsBefore();
  });

  test('because the disk became full while it was built, is not the version’s fault', async () => {
    const full = join(directory, 'full');
    const wait = `const look = () => require('node:fs').existsSync('${full}') ? process.exit(1) : setTimeout(look, 20); look();`;
    const version = await newVersion({
      'install.js': `console.log('building'); ${wait}`,
      'migrate.js': migrateWell,
      'tenant.yaml': repository.manifest,
    });
    const keepFree = (value: string) => app.call('PUT', '/api/settings/min_free_disk_mb', { body: { value } });
    const asked = upgrade(tenant.id, { target_version: version });
    const { id } = await until(
      () => newestOf(tenant.id),
      ({ current_step, status }) => current_step === 'Prepare' && status === 'running',
    );
    await until(
      () => getDeployment(app, id),
      ({ logs }) => logs.includes('building'),
    );
    // As if another process had filled the disk: less than ten TiB are free.
    expect((await keepFree('10485760')).status).toBe(200);
    await writeFile(full, '');
    const { status, body } = await asked;
    await keepFree('512');
    expect([status, body.code]).toEqual([507, 'insufficient_storage']);
    expect(body.detail).toContain('Nothing was changed');
    await assertAsBefore();
    const failed = (await versionOf(tenant.id)).failed_versions as { version: string }[];
    expect(failed.map((failure) => failure.version)).not.toContain(version);
  });

  test('is rolled back if it is cancelled during a migration', async () => {
    const slow =
      `${migrateBroken.replace('process.exit(0);', '')} if (process.argv[2] === 'first') setTimeout(() => {}, 60_000);`.replace(
        "console.error('duplicate column'); process.exit(7);",
        "console.log('deep in it');",
      );
    const version = await newVersion({ 'install.js': '', 'migrate.js': slow, 'tenant.yaml': repository.manifest });
    const asked = upgrade(tenant.id, { target_version: version });
    const { id } = await until(
      () => newestOf(tenant.id),
      ({ current_step, status }) => current_step === 'Run migrations' && status === 'running',
    );
    await until(
      () => getDeployment(app, id),
      ({ logs }) => logs.includes('deep in it'),
    );
    expect((await app.call('POST', `/api/deployments/${id}/cancel`)).status).toBe(202);
    const { status, body } = await asked;
    expect([status, body.code]).toEqual([502, 'upgrade_failed']);
    expect(body.detail).toContain('Run migrations: Cancelled. Rolled back');
    await assertAsBefore();
    const failed = (await versionOf(tenant.id)).failed_versions as { version: string }[];
    expect(failed.map((failure) => failure.version)).not.toContain(version);
  });

  test('reports an incomplete rollback, and prevents writes to incomplete data', async () => {
    const other = await tenantAt('v1.1.9');
    // The tenant's own code can access the backup here: local processes are not isolated.
    const thief = `require('node:fs').rmSync(${JSON.stringify(join(app.directory, 'data', 'backups'))} + '/' + process.env.TENANT_SLUG, { recursive: true });`;
    const version = await newVersion({
      'install.js': '',
      'migrate.js': `${thief}${migrateBroken}`,
      'tenant.yaml': repository.manifest,
    });
    const { status, body } = await upgrade(other.id, { target_version: version });
    expect([status, body.code]).toEqual([502, 'upgrade_failed']);
    expect(body.detail).toContain(`THE ROLLBACK IS INCOMPLETE, ${other.slug} needs your attention`);
    const { body: list } = await app.call<{ backups: { id: string }[] }>('GET', `/api/tenants/${other.id}/backups`);
    expect(body.detail).toContain(`Stop services could not be rolled back: not started, because the database`);
    expect(body.detail).toContain(`in backup ${list.backups[0]?.id}`);
    expect(await runs(other)).toBeUndefined();
    expect((await getTenant(app, other.id)).status).toBe('error');
    expect(await versionOf(other.id)).toMatchObject({ deployed_version: 'v1.1.9' });
  });

  test('is forgotten when it succeeds, also at another commit', async () => {
    const { failed_versions } = (await versionOf(tenant.id)) as { failed_versions: { version: string }[] };
    const version = failed_versions[0]?.version ?? '';
    await promisify(execFile)('git', ['-C', repository.path, 'tag', '--delete', version]);
    await repository.release(version, {
      'install.js': '',
      'migrate.js': migrateWell,
      'tenant.yaml': repository.manifest,
    });
    expect((await upgrade(tenant.id, { target_version: version })).body).toMatchObject({ status: 'success' });
    const after = (await versionOf(tenant.id)) as { failed_versions: { version: string }[] };
    expect(after.failed_versions).toEqual(failed_versions.slice(1));
    expect(after.failed_versions.length).toBeGreaterThan(0);
  });
});
