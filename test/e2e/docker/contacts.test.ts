import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import type { HealthReport } from '../../../src/features/health/schema.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { countPeople, importSupporters, supporters } from '../../harness/data/contacts.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';
import { readEvents } from '../../harness/servers/event-stream.ts';

/**
 * The sample application as containers, with a MariaDB container for each tenant; each test continues from the
 * previous one.
 */
describeWithEngine('the sample application on Docker', () => {
  const docker = new Docker();
  let directory: string;
  let repository: Awaited<ReturnType<typeof makeContactsRepository>>;
  let app: App;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-contacts-'));
    repository = await makeContactsRepository(join(directory, 'repository'));
    app = await startApp({ environment: { RUNTIME: 'docker' }, healthTimeoutMs: 30_000 });
    tenant = await makeTenant(app, repository.path);
  });
  afterAll(async () => {
    const { runtime } = app.manager.app;
    const { body } = await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants?limit=500');
    for (const { id } of body.tenants) await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await runtime.removeReleasesExcept(new Set());
    const left = (await runtime.list()).map(({ name }) => name);
    await app.stop();
    await rm(directory, { recursive: true, force: true });
    expect(left).toEqual([]);
  });

  const ofTenant = (path: string, id = tenant.id) => `/api/tenants/${id}${path}`;
  const owned = async (kind: string) => (await app.manager.app.runtime.list()).filter((found) => found.kind === kind);
  const page = async (of = tenant) => (await fetch(`http://127.0.0.1:${of.frontend_port}/`)).text();
  const health = async () => (await app.call<HealthReport>('POST', ofTenant('/health-check'))).body;
  const services = async () => (await app.call('GET', ofTenant('/services/status'))).body;
  async function act(action: 'start' | 'stop' | 'restart'): Promise<unknown> {
    const { status, body } = await app.call('POST', ofTenant(`/${action}`));
    expect([status, body]).toEqual([200, expect.anything()]);
    return body.services;
  }

  test('v1.0.0 is deployed with its database, and is completely healthy', async () => {
    expect(await deploy(app, tenant.id, { target_version: 'v1.0.0' })).toMatchObject({
      status: 'success',
      commit: repository.commits['v1.0.0'],
      error: null,
    });
    expect(await getTenant(app, tenant.id)).toMatchObject({ status: 'running' });
    const { overall_status, checks } = await health();
    expect(overall_status).toBe('healthy');
    expect(checks).toMatchObject({
      frontend: { status: 'up', status_code: 200 },
      backend: { status: 'up', status_code: 200 },
      database: { status: 'healthy', size_mb: expect.any(Number), connections: expect.any(Number) },
      services: { frontend_service: 'active', backend_service: 'active' },
    });
    expect(checks.database.size_mb).toBeGreaterThan(0);
    expect(checks.database.connections).toBeGreaterThan(0);
    expect((await owned('database')).map(({ name }) => name)).toEqual([`${tenant.slug}-db`]);
    expect(await page()).toContain('Version v1.0.0');
  });

  test('imports a list with its own import, and the manager counts the people', async () => {
    expect(await importSupporters(app, tenant.id)).toMatchObject({
      total: supporters.people,
      imported: supporters.people,
      failed: 0,
    });
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
    const { status, body } = await app.call('GET', ofTenant('/remote/stats'));
    expect([status, body]).toEqual([200, expect.objectContaining({ persons: supporters.people })]);
    expect(body.database_size_mb).toBeGreaterThan(0);
    expect(await page()).toContain('everly@example.org');
  });

  test('v1.1.0 runs its migration, and the people are still there', async () => {
    const end = await deploy(app, tenant.id, { target_version: 'v1.1.0' });
    expect(end).toMatchObject({ status: 'success', version: 'v1.1.0', commit: repository.commits['v1.1.0'] });
    expect(end.logs).toContain('last_contacted_at');
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
    expect(await page()).toContain('Version v1.1.0');
  });

  test('is stopped, started and restarted, and reports what runs', async () => {
    expect(await act('stop')).toEqual({ frontend: 'inactive', backend: 'inactive' });
    expect(await services()).toEqual({ api: 'inactive', frontend: 'inactive' });
    expect((await getTenant(app, tenant.id)).status).toBe('stopped');
    expect((await health()).overall_status).toBe('unknown');
    expect(await act('start')).toEqual({ frontend: 'active', backend: 'active' });
    expect(await act('restart')).toEqual({ frontend: 'active', backend: 'active' });
    expect(await services()).toEqual({ api: 'active', frontend: 'active' });
    await until(health, ({ overall_status }) => overall_status === 'healthy');
    expect((await getTenant(app, tenant.id)).status).toBe('running');
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
  });

  test.each([
    ['backend', 'api', '/docs'],
    ['frontend', 'frontend', '/?search=everly'],
  ] as const)('the log of the %s is read and followed', async (service, role, path) => {
    const port = role === 'api' ? tenant.backend_port : tenant.frontend_port;
    const visit = async () => (await fetch(`http://127.0.0.1:${port}${path}`)).arrayBuffer();
    const line = `GET ${path.split('?')[0]} 200`;
    await visit();
    const { logs } = await until(
      async () => (await app.call<{ logs: string }>('GET', ofTenant(`/logs?service=${service}&lines=50`))).body,
      (answer) => answer.logs.includes(line),
    );
    const before = logs.split('\n').length;

    const ending = new AbortController();
    const url = `${app.url}${ofTenant(`/logs?service=${service}&follow=true`)}`;
    let visits = 0;
    for await (const message of readEvents(url, app.token, ending.signal)) {
      expect(message).toMatchObject({ type: 'log', service, seq: expect.any(Number) });
      // After the earlier lines, a visit must appear live.
      if (Number(message.seq) >= before && visits < 3) {
        visits += 1;
        await visit();
      }
      if (visits === 3 && String(message.message).startsWith(line)) break;
    }
    ending.abort();
    expect(visits).toBe(3);
  });

  test('a second tenant at the same commit shares only the images', async () => {
    const before = (await owned('image')).map(({ name }) => name).sort();
    expect(before.filter((name) => name.includes(String(repository.commits['v1.1.0'])))).toHaveLength(2);
    const second = await makeTenant(app, repository.path);
    expect(await deploy(app, second.id, { target_version: 'v1.1.0' })).toMatchObject({
      status: 'success',
      error: null,
    });
    expect((await owned('image')).map(({ name }) => name).sort()).toEqual(before);
    expect(await countPeople(app, second.id)).toBe(0);
    expect(await page(second)).toContain('There are no people yet');
    const { body } = await app.call<{ removed: unknown }>('DELETE', `/api/tenants/${second.id}?remove_files=true`);
    expect(body.removed).toMatchObject({ files: true, services: true });
    const left = (await app.manager.app.runtime.list()).filter(({ tenantId }) => tenantId === second.id);
    expect(left).toEqual([]);
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
  });

  test('a changed configuration applies at the next restart', async () => {
    const { status } = await app.call('PUT', ofTenant('/config'), {
      body: { app_name: 'Valley Contacts', custom_env: { THEME_PRIMARY_COLOR: '#123456' } },
    });
    expect(status).toBe(200);
    expect(await page()).not.toContain('Valley Contacts');
    expect(await act('restart')).toEqual({ frontend: 'active', backend: 'active' });
    expect(await page()).toContain('Valley Contacts');
    const colours = await fetch(`http://127.0.0.1:${tenant.frontend_port}/theme.css`);
    expect((await colours.text()).toUpperCase()).toContain('#123456');
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
  });

  test('a unit that crashes restarts automatically', async () => {
    const container = docker.getContainer(`${tenant.slug}-api`);
    const kill = await container.exec({ Cmd: ['sh', '-c', 'kill -9 -1'] });
    (await kill.start({ Detach: true })).destroy();
    await until(
      () => container.inspect(),
      ({ RestartCount: restarts, State: state }) => restarts > 0 && state.Running && !state.Restarting,
    );
    await until(health, ({ overall_status }) => overall_status === 'healthy');
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
  });

  test('units and database killed by hand are reported by the sweep, and a start restores them', async () => {
    // The engine takes that for a manual stop, and does not start it again.
    for (const name of ['api', 'db']) await docker.getContainer(`${tenant.slug}-${name}`).kill();
    for (const _ of [1, 2, 3]) await app.manager.app.health.runSweep();
    const found = await getTenant(app, tenant.id);
    expect(found).toMatchObject({ status: 'error', health_status: 'unhealthy' });
    expect((await app.call<HealthReport>('GET', ofTenant('/health'))).body.checks).toMatchObject({
      backend: { status: 'down' },
      database: { status: 'unhealthy', error: expect.stringContaining('not running') },
      services: { backend_service: 'inactive', frontend_service: 'active' },
    });
    expect(await act('start')).toEqual({ frontend: 'active', backend: 'active' });
    await until(health, ({ overall_status }) => overall_status === 'healthy');
    expect((await getTenant(app, tenant.id)).status).toBe('running');
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
  });

  test('deleting it leaves nothing at the engine', async () => {
    const { status } = await app.call('DELETE', ofTenant('?remove_files=true'));
    expect(status).toBe(200);
    const left = (await app.manager.app.runtime.list()).filter(({ kind }) => kind !== 'image');
    expect(left).toEqual([]);
    const filters = { label: [`org.tenantry.tenant=${tenant.id}`] };
    expect(await docker.listContainers({ all: true, filters })).toEqual([]);
    expect((await docker.listVolumes({ filters })).Volumes ?? []).toEqual([]);
    expect(await docker.listNetworks({ filters })).toEqual([]);
  });
});
