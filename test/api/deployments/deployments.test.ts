import { access, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type App, startApp } from '../../harness/app/app.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import {
  askDeploy,
  deploy,
  endOf,
  getDeployment,
  getTenant,
  makeTenant,
  setEnvironment,
  type TenantAnswer,
  until,
} from '../../harness/data/tenants.ts';

let directory: string;
let repository: FixtureRepository;
let app: App;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-deployments-'));
  repository = await makeFixtureRepository(join(directory, 'repository'));
  app = await startApp({ healthTimeoutMs: 5_000, environment: { GIT_HOSTS: '127.0.0.1:9' } });
});
afterAll(async () => {
  for (const { id } of (await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants?limit=500')).body.tenants) {
    await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
  }
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
const commitOf = (version: string): string => repository.commits[version] ?? '';

async function environmentOf(port: number): Promise<Record<string, string>> {
  return (await fetch(`http://127.0.0.1:${port}/env`)).json() as Promise<Record<string, string>>;
}

/** The names of a tenant's units that the runtime knows. */
async function unitsOf(slug: string): Promise<string[]> {
  const owned = await app.manager.app.runtime.list();
  return owned.map(({ name }) => name).filter((name) => name.startsWith(`${slug}-`));
}

describe('a deployment', () => {
  test('brings the latest release to a healthy tenant, and reports every step', async () => {
    const tenant = await makeTenant(app, repository.path);
    const answer = await app.call('POST', `/api/tenants/${tenant.id}/deploy`);
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      deployment_id: expect.any(String),
      status: 'running',
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      estimated_duration: expect.any(Number),
    });
    const end = await endOf(app, String(answer.body.deployment_id));
    expect(end).toMatchObject({ status: 'success', version: 'v1.1.0', commit: commitOf('v1.1.0'), error: null });
    expect(end.steps.map(({ name, status }) => `${name}: ${status}`)).toEqual([
      'Copy files: success',
      'Install dependencies: success',
      'Generate environment: success',
      'Initialize database: success',
      'Create service-manager services: success',
      'Configure proxy: skipped',
      'Setup SSL: skipped',
      'Start services: success',
      'Health check: success',
    ]);
    expect(end.logs).toMatch(/migrating first[\s\S]*migrating second/);
    expect(await getTenant(app, tenant.id)).toMatchObject({ status: 'running', deployed_at: expect.any(String) });

    const environment = await environmentOf(tenant.backend_port);
    expect(environment).toMatchObject({
      APP_VERSION: 'v1.1.0',
      APP_COMMIT: commitOf('v1.1.0'),
      TENANT_SLUG: tenant.slug,
    });
    expect(Object.keys(environment).filter((name) => /ADMIN_PASSWORD|^DATA_DIR|METRICS/.test(name))).toEqual([]);
    const page = await (await fetch(`http://127.0.0.1:${tenant.frontend_port}/`)).text();
    expect(page).toContain('v1.1.0');

    const planned = await app.call<{ units: { change: string }[] }>(
      'POST',
      `/api/tenants/${tenant.id}/deploy?dry_run=true`,
    );
    expect(planned.body.units.map(({ change }) => change)).toEqual(['none', 'none']);
    const again = await deploy(app, tenant.id);
    expect(again).toMatchObject({ status: 'success', version: 'v1.1.0' });
    const older = await deploy(app, tenant.id, { target_version: 'v1.0.0' });
    expect(older).toMatchObject({ status: 'success', commit: commitOf('v1.0.0') });
    const kept = await deploy(app, tenant.id);
    expect(kept).toMatchObject({ version: 'v1.0.0' });
    const { body } = await app.call<{ deployments: unknown[]; total: number }>(
      'GET',
      `/api/tenants/${tenant.id}/deployments?limit=2`,
    );
    expect(body.total).toBe(4);
    expect(body.deployments).toHaveLength(2);
    const path = `/api/tenants/${tenant.id}`;
    await app.call('POST', `${path}/backups`, { body: {} });
    const kindsOf = async (query: string) =>
      (await app.call<{ deployments: { kind: string }[] }>('GET', `${path}/deployments${query}`)).body.deployments.map(
        ({ kind }) => kind,
      );
    expect(await kindsOf('')).toEqual(['backup', 'deploy', 'deploy', 'deploy', 'deploy']);
    expect(await kindsOf('?kinds=backup')).toEqual(['backup']);
    expect(await kindsOf('?kinds=deploy,upgrade&limit=2')).toEqual(['deploy', 'deploy']);
  });

  test('a dry run returns the plan and changes nothing', async () => {
    const tenant = await makeTenant(app, repository.path);
    const { status, body } = await app.call('POST', `/api/tenants/${tenant.id}/deploy?dry_run=true`, {
      body: { target_version: 'v1.0.0' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      dry_run: true,
      version: 'v1.0.0',
      commit: commitOf('v1.0.0'),
      database: { kind: 'sqlite' },
      migrations: ['first', 'second'],
      units: [
        { name: `${tenant.slug}-api`, change: 'create', port: tenant.backend_port },
        { name: `${tenant.slug}-frontend`, change: 'create', port: tenant.frontend_port },
      ],
    });
    expect(JSON.stringify(body)).not.toMatch(/sqlite:\//);
    expect(await exists(tenant.directory ?? join(app.directory, 'data', 'tenants', tenant.slug))).toBe(false);
    expect(await unitsOf(tenant.slug)).toEqual([]);
    expect((await getTenant(app, tenant.id)).status).toBe('pending');
  });

  test('is rejected without a repository, and for an unknown tenant', async () => {
    const tenant = await makeTenant(app, undefined);
    const refused = await app.call('POST', `/api/tenants/${tenant.id}/deploy`);
    expect([refused.status, refused.body.code]).toEqual([400, 'validation_error']);
    expect((await app.call('POST', '/api/tenants/unknown/deploy')).status).toBe(404);
    expect((await app.call('GET', '/api/deployments/nothing')).status).toBe(404);
  });

  test('is rejected while another one of the tenant is running; a cancelled first one leaves nothing', async () => {
    const tenant = await makeTenant(app, repository.path);
    await setEnvironment(app, tenant.id, { MIGRATION: 'slow' });
    const id = await askDeploy(app, tenant.id);
    const second = await app.call('POST', `/api/tenants/${tenant.id}/deploy`);
    expect([second.status, second.body.code]).toEqual([409, 'operation_in_progress']);
    expect(second.body.detail).toContain(id);
    await until(
      () => getDeployment(app, id),
      ({ logs }) => logs.includes('migrating first'),
    );
    expect((await app.call('POST', `/api/deployments/${id}/cancel`)).status).toBe(202);
    const end = await endOf(app, id);
    expect(end).toMatchObject({ status: 'cancelled', error: { step: 'Initialize database', message: 'Cancelled' } });
    expect((await getTenant(app, tenant.id)).status).toBe('pending');
    expect(await unitsOf(tenant.slug)).toEqual([]);
    expect(await exists(join(app.directory, 'data', 'tenants', tenant.slug))).toBe(false);
    const late = await app.call('POST', `/api/deployments/${id}/cancel`);
    expect([late.status, late.body.code]).toEqual([409, 'invalid_state']);
  });

  test('further ones are queued, and report it', async () => {
    await app.call('PUT', '/api/settings/deployment_concurrency', { body: { value: 1 } });
    const [first, second] = [await makeTenant(app, repository.path), await makeTenant(app, repository.path)];
    await setEnvironment(app, first.id, { MIGRATION: 'slow' });
    const running = await askDeploy(app, first.id);
    const waiting = await askDeploy(app, second.id);
    await until(
      () => getDeployment(app, running),
      ({ logs }) => logs.includes('migrating'),
    );
    expect((await getDeployment(app, waiting)).status).toBe('queued');
    await app.call('POST', `/api/deployments/${running}/cancel`);
    expect((await endOf(app, waiting)).status).toBe('success');
    await app.call('PUT', '/api/settings/deployment_concurrency', { body: { value: 2 } });
  });

  describe('a first one whose units are', () => {
    const deployments = new Map<string, { tenant: { id: string; slug: string }; id: string }>();
    beforeAll(async () => {
      // They wait concurrently until their units are given up.
      await app.call('PUT', '/api/settings/deployment_concurrency', { body: { value: 3 } });
      for (const mode of ['crash', 'unhealthy', 'frontend-down']) {
        const tenant = await makeTenant(app, repository.path);
        await setEnvironment(app, tenant.id, { MODE: mode });
        deployments.set(mode, { tenant, id: await askDeploy(app, tenant.id) });
      }
    });
    afterAll(() => app.call('PUT', '/api/settings/deployment_concurrency', { body: { value: 2 } }));

    test.each([
      ['crash', /cannot reach the moon/],
      ['unhealthy', /503/],
      ['frontend-down', /500/],
    ])('%s fails with the reason and leaves nothing', async (mode, reason) => {
      const { tenant, id } = deployments.get(mode) ?? { tenant: { id: '', slug: '' }, id: '' };
      const end = await endOf(app, id);
      expect(end).toMatchObject({ status: 'failed', error: { step: 'Health check' } });
      expect(end.logs + end.error?.message).toMatch(reason);
      expect((await getTenant(app, tenant.id)).status).toBe('error');
      expect(await unitsOf(tenant.slug)).toEqual([]);
      await setEnvironment(app, tenant.id, {});
      expect((await deploy(app, tenant.id)).status).toBe('success');
      expect((await getTenant(app, tenant.id)).status).toBe('running');
    });
  });

  test.each([
    [{ MODE: 'crash' }, 'Health check'],
    [{ MIGRATION: 'fail' }, 'Initialize database'],
  ])('a failed redeployment (%j) keeps the running version, environment file included', async (environment, step) => {
    const tenant = await makeTenant(app, repository.path);
    await deploy(app, tenant.id, { target_version: 'v1.0.0' });
    const envFile = join(app.directory, 'data', 'tenants', tenant.slug, '.env');
    const before = await readFile(envFile, 'utf8');
    await setEnvironment(app, tenant.id, environment);
    const end = await deploy(app, tenant.id, { target_version: 'v1.1.0' });
    expect(end).toMatchObject({ status: 'failed', error: { step } });
    expect((await getTenant(app, tenant.id)).status).toBe('running');
    expect(await readFile(envFile, 'utf8')).toBe(before);
    const running = await until(
      () => environmentOf(tenant.backend_port).catch(() => ({ APP_VERSION: '' })),
      ({ APP_VERSION }) => APP_VERSION !== '',
    );
    expect(running).toMatchObject({ APP_VERSION: 'v1.0.0', APP_COMMIT: commitOf('v1.0.0') });
  });

  test.each([
    ['v2.0.0', { 'tenant.yaml': null }, /tenant\.yaml: not found/],
    ['v2.0.1', { 'tenant.yaml': 'version: 1\nunits: {}\n' }, /tenant\.yaml: units\.api: .*units\.frontend/],
    ['v2.0.2', { 'tenant.yaml': 'version: 1\nsurprise: true\n' }, /surprise/],
    ['v2.0.3', { 'tenant.yaml': 'a: [' }, /tenant\.yaml: /],
  ])('rejects a repository that violates the contract with file and field (%s)', async (version, files, reason) => {
    await repository.release(version, files);
    const tenant = await makeTenant(app, repository.path);
    const end = await deploy(app, tenant.id, { target_version: version });
    expect(end).toMatchObject({
      status: 'failed',
      error: { step: 'Copy files', message: expect.stringMatching(reason) },
    });
    await repository.release(`${version}-after`, { 'tenant.yaml': repository.manifest });
  });

  test('reports a failed install with its output, and a version that is not a tag', async () => {
    await repository.release('v3.0.0', { 'install.js': "console.log('no such package'); process.exit(9);\n" });
    const tenant = await makeTenant(app, repository.path);
    const end = await deploy(app, tenant.id, { target_version: 'v3.0.0' });
    expect(end).toMatchObject({ status: 'failed', error: { step: 'Install dependencies' } });
    expect(end.logs).toContain('no such package');
    await repository.release('v3.0.1', { 'install.js': "console.log('installed');\n" });
    const unknown = await deploy(app, tenant.id, { target_version: 'v9.9.9' });
    expect(unknown).toMatchObject({
      status: 'failed',
      error: { step: 'Copy files', message: expect.stringContaining('v9.9.9') },
    });
  });

  test('skip_services prepares without starting; start then serves', async () => {
    const tenant = await makeTenant(app, repository.path);
    const end = await deploy(app, tenant.id, { skip_services: true, target_version: 'v1.0.0' });
    expect(end.steps.filter(({ reason }) => reason === 'skip_services is set')).toHaveLength(3);
    expect(await getTenant(app, tenant.id)).toMatchObject({ status: 'pending', deployed_at: expect.any(String) });
    const started = await app.call('POST', `/api/tenants/${tenant.id}/start`);
    expect(started.body).toMatchObject({ services: { frontend: 'active', backend: 'active' } });
    expect(await environmentOf(tenant.backend_port)).toMatchObject({ APP_VERSION: 'v1.0.0' });
    expect((await getTenant(app, tenant.id)).status).toBe('running');
  });

  test('running versions keep their files, however many others are prepared', async () => {
    const tenant = await makeTenant(app, repository.path);
    await deploy(app, tenant.id, { target_version: 'v1.0.0' });
    await app.call('PUT', '/api/settings/release_retention', { body: { value: 1 } });
    for (const version of ['v1.1.1', 'v1.1.2', 'v1.1.3']) {
      await repository.release(version, { 'NEWS.md': `Version ${version}\n` });
      await deploy(app, tenant.id, { skip_services: true, target_version: version });
    }
    await app.manager.app.deployments.collectGarbage();
    await app.call('PUT', '/api/settings/release_retention', { body: { value: 3 } });
    const { PWD = '' } = await environmentOf(tenant.backend_port);
    expect(await readFile(join(PWD, 'tenant.yaml'), 'utf8')).toBeTruthy();
    const checkouts = await readdir(join(app.directory, 'data', 'sources', 'checkouts'));
    expect(checkouts.filter((name) => name.includes(commitOf('v1.0.0')))).toHaveLength(1);
  });

  test('the mirror of a repository is removed with its last tenant', async () => {
    const own = await makeFixtureRepository(join(directory, 'left'));
    const mirrors = join(app.directory, 'data', 'sources', 'mirrors');
    const [first, second] = [await makeTenant(app, own.path), await makeTenant(app, own.path)];
    await deploy(app, first.id, { skip_services: true });
    const before = await readdir(mirrors);
    const { deployments } = app.manager.app;
    await app.call('PUT', `/api/tenants/${first.id}`, { body: { git_repo: repository.path } });
    expect(await deployments.collectMirrors()).toEqual([]);
    await app.call('DELETE', `/api/tenants/${second.id}`);
    const [gone] = await deployments.collectMirrors();
    expect(await readdir(mirrors)).toEqual(before.filter((name) => name !== `${gone}.git`));
    expect(await readdir(mirrors)).toHaveLength(before.length - 1);
  });

  describe('a deployed tenant', () => {
    let tenant: TenantAnswer;
    beforeAll(async () => {
      tenant = await makeTenant(app, repository.path);
      expect((await deploy(app, tenant.id)).status).toBe('success');
    });

    test('is never reported as unhealthy while it is stopped, started, restored and deployed again', async () => {
      const ofTenant = (path: string): string => `/api/tenants/${tenant.id}${path}`;
      const healthIs = (wanted: string) =>
        until(
          async () => {
            const { body } = await app.call('POST', ofTenant('/health-check'));
            expect(body.overall_status).not.toBe('unhealthy');
            return getTenant(app, tenant.id);
          },
          ({ health_status }) => health_status === wanted,
        );
      await healthIs('healthy');
      await app.call('POST', ofTenant('/stop'));
      await healthIs('unknown');
      await app.call('POST', ofTenant('/start'));
      await healthIs('healthy');
      const { body: backup } = await app.call<{ id: string }>('POST', ofTenant('/backups'));
      await Promise.all([app.call('POST', ofTenant(`/backups/${backup.id}/restore`)), healthIs('healthy')]);
      await Promise.all([deploy(app, tenant.id), healthIs('healthy')]);
      const { body: log } = await app.call<{ logs: { message: string }[] }>(
        'GET',
        `/api/logs?category=health_check&tenant_id=${tenant.id}`,
      );
      const entries = log.logs.map(({ message }) => message);
      expect(entries.filter((message) => message.includes('unhealthy'))).toEqual([]);
      expect(entries.some((message) => message.includes('healthy → unknown'))).toBe(true);
      const { body: history } = await app.call<{ checks: { overall_status: string }[] }>(
        'GET',
        ofTenant('/health/history'),
      );
      expect(history.checks.map(({ overall_status }) => overall_status)).not.toContain('unhealthy');
    });

    test('changed ports are used from the next restart; until then it keeps its old ones', async () => {
      const { body: pair } = await app.call<{ frontend_port: number; backend_port: number }>(
        'GET',
        '/api/ports/next-available',
      );
      expect((await app.call('PUT', `/api/tenants/${tenant.id}`, { body: pair })).status).toBe(200);
      const checked = async () =>
        (await app.call('POST', `/api/tenants/${tenant.id}/health-check`)).body.overall_status;
      expect(await checked()).toBe('healthy');
      await app.call('POST', `/api/tenants/${tenant.id}/restart`);
      expect(await checked()).toBe('healthy');
      expect(await environmentOf(pair.backend_port)).toMatchObject({ PORT: String(pair.backend_port) });
      await expect(environmentOf(tenant.backend_port)).rejects.toThrow();
    });

    test('the environment file follows a restart with a changed configuration, and is rolled back if it fails', async () => {
      const { directory: home } = await getTenant(app, tenant.id);
      const file = () => readFile(join(home, '.env'), 'utf8');
      await setEnvironment(app, tenant.id, { GREETING: 'hello' });
      expect((await app.call('POST', `/api/tenants/${tenant.id}/restart`)).status).toBe(200);
      const good = await file();
      expect(good).toContain('GREETING=hello');
      await setEnvironment(app, tenant.id, { GREETING: 'goodbye', MODE: 'crash' });
      expect((await app.call('POST', `/api/tenants/${tenant.id}/restart`)).status).toBe(502);
      expect(await file()).toBe(good);
      await setEnvironment(app, tenant.id, {});
    });

    test.each(['restart', 'deploy'])(
      'the health of an unhealthy tenant is checked again after a %s',
      async (action) => {
        const healthIs = (wanted: string) =>
          until(
            () => getTenant(app, tenant.id),
            ({ health_status }) => health_status === wanted,
          );
        await healthIs('healthy');
        await app.manager.app.tenants.recordHealth([{ id: tenant.id, status: 'unhealthy', details: {} }]);
        await app.call('POST', `/api/tenants/${tenant.id}/${action}`);
        await healthIs('healthy');
      },
    );
  });

  test('reports the missing space if the disk is too small', async () => {
    const tenant = await makeTenant(app, repository.path);
    await app.call('PUT', '/api/settings/min_free_disk_mb', { body: { value: 10_485_760 } });
    const { status, body } = await app.call('POST', `/api/tenants/${tenant.id}/deploy`);
    await app.call('PUT', '/api/settings/min_free_disk_mb', { body: { value: 0 } });
    expect([status, body.code]).toEqual([507, 'insufficient_storage']);
    expect(body.detail).toMatch(/free at least \d+ MiB more/);
  });

  test('keeps the repository credentials out of responses, logs and records', async () => {
    const secret = 'hunter2-hunter2';
    const tenant = await makeTenant(app, `http://robot:${secret}@127.0.0.1:9/repo.git`);
    const end = await deploy(app, tenant.id);
    expect(end).toMatchObject({ status: 'failed', error: { step: 'Copy files' } });
    const shown = [end, await getTenant(app, tenant.id), (await app.call('GET', '/api/logs')).body];
    expect(JSON.stringify(shown)).not.toContain(secret);
  });
});

describe('the log of a deployment', () => {
  test('is one text, or server-sent events from its start that resume without a gap', async () => {
    const tenant = await makeTenant(app, repository.path);
    const id = await askDeploy(app, tenant.id);
    const url = `${app.url}/api/deployments/${id}/logs?stream=true&access_token=${app.token}`;
    const all = await (await fetch(url)).text();
    const ids = [...all.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    expect(all).toMatch(/event: complete\ndata: .*"status":"success"/);
    const resumed = await (await fetch(url, { headers: { 'last-event-id': '5' } })).text();
    expect(resumed.startsWith('id: 6\n')).toBe(true);
    const { body } = await app.call<{ logs: string; deployment_id: string }>('GET', `/api/deployments/${id}/logs`);
    expect(body.deployment_id).toBe(id);
    expect(body.logs).toContain('Healthy');
  });
});
