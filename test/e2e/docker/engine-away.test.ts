import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { HealthReport } from '../../../src/features/health/schema.ts';
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
import { describeWithEngine } from '../../harness/engine/engine.ts';
import { EngineProxy } from '../../harness/engine/engine-proxy.ts';

describeWithEngine('an engine that becomes unavailable', () => {
  let directory: string;
  let repository: FixtureRepository;
  let engine: EngineProxy;
  let app: App;
  let live: TenantAnswer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-engine-away-'));
    repository = await makeFixtureRepository(join(directory, 'repository'));
    engine = await EngineProxy.open();
    // It starts while there is no engine.
    await engine.cut();
    app = await startApp({ environment: { RUNTIME: 'docker', DOCKER_HOST: `unix://${engine.socketPath}` } });
  });
  afterAll(async () => {
    await engine.restore();
    const { runtime } = app.manager.app;
    const { body } = await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants?limit=500');
    for (const { id } of body.tenants) await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await runtime.removeReleasesExcept(new Set());
    const left = (await runtime.list()).map(({ name }) => name);
    await app.stop();
    await engine.close();
    await rm(directory, { recursive: true, force: true });
    expect(left).toEqual([]);
  });

  const readiness = async () => (await app.call<{ status: string }>('GET', '/readyz')).body;
  async function back(): Promise<void> {
    await engine.restore();
    expect(await readiness()).toMatchObject({ status: 'ready', runtime: { kind: 'docker', available: true } });
  }
  async function expectUnavailable(method: string, path: string): Promise<void> {
    const { status, body } = await app.call(method, path);
    expect([path, status, body.code]).toEqual([path, 503, 'runtime_unavailable']);
    expect(body.detail).toMatch(/Docker engine does not answer/);
  }
  const unitsOf = async (id: string) =>
    (await app.manager.app.runtime.list())
      .filter(({ tenantId, kind }) => tenantId === id && (kind === 'unit' || kind === 'job'))
      .map(({ name }) => name)
      .sort();
  const versionAt = async (port: number) =>
    ((await (await fetch(`http://127.0.0.1:${port}/env`)).json()) as { APP_VERSION: string }).APP_VERSION;
  /** Deploys until its first migration runs, then stops the engine. */
  async function cutInTheMiddle(id: string): Promise<string> {
    await setEnvironment(app, id, { MIGRATION: 'slow' });
    const deployment = await askDeploy(app, id);
    await until(
      () => getDeployment(app, deployment),
      ({ logs }) => logs.includes('migrating first'),
    );
    await engine.cut();
    return deployment;
  }

  test('a manager that starts without one reports it, rejects only deployments, and continues when it starts', async () => {
    expect(await readiness()).toMatchObject({
      status: 'degraded',
      store: 'up',
      runtime: { kind: 'docker', available: false, detail: expect.stringContaining('does not answer') },
    });
    live = await makeTenant(app, repository.path);
    await expectUnavailable('POST', `/api/tenants/${live.id}/deploy`);
    expect((await getTenant(app, live.id)).status).toBe('pending');
    await back();
    expect(await deploy(app, live.id, { target_version: 'v1.0.0' })).toMatchObject({ status: 'success', error: null });
  });

  test('while unavailable, operations that need it are rejected; lists and configuration work; no tenant is reported as down', async () => {
    await engine.cut();
    expect(await readiness()).toMatchObject({ status: 'degraded', runtime: { available: false } });
    await expectUnavailable('POST', `/api/tenants/${live.id}/deploy`);
    await expectUnavailable('POST', `/api/tenants/${live.id}/restart`);
    await expectUnavailable('GET', `/api/tenants/${live.id}/services/status`);
    await expectUnavailable('GET', `/api/tenants/${live.id}/logs`);
    const list = await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants');
    expect([list.status, list.body.tenants.map(({ id }) => id)]).toEqual([200, [live.id]]);
    expect((await app.call('GET', `/api/tenants/${live.id}/config`)).status).toBe(200);
    await setEnvironment(app, live.id, { COLOUR: 'green' });

    for (const _ of [1, 2, 3, 4]) await app.manager.app.health.runSweep();
    expect((await getTenant(app, live.id)).status).toBe('running');
    const { body } = await app.call<HealthReport>('POST', `/api/tenants/${live.id}/health-check`);
    expect(body).toMatchObject({ overall_status: 'degraded', checks: { backend: { status: 'up' } } });
    expect(body.checks.services.error).toMatch(/could not be inspected.*does not answer/);
    await back();
    const health = await app.call<HealthReport>('POST', `/api/tenants/${live.id}/health-check`);
    expect(health.body.overall_status).toBe('healthy');
  });

  test('retries if the host is too busy to pause the units: the backup succeeds', async () => {
    engine.refuse(/^POST .*\/pause/, 2, 'Cannot pause container: OCI runtime pause failed: unable to freeze: unknown');
    const { status, body } = await app.call('POST', `/api/tenants/${live.id}/backups`);
    expect([status, body.status]).toEqual([201, 'complete']);
  });

  test('does not mark a backup as damaged: its last check result stays', async () => {
    const backups = `/api/tenants/${live.id}/backups`;
    const { body } = await app.call<{ id: string }>('POST', backups);
    const verify = `${backups}/${body.id}/verify`;
    const verified = await app.call<{ drill: { ok: boolean }; verified_at: string }>('POST', verify);
    expect(verified.body.drill).toMatchObject({ ok: true, differences: [] });
    await engine.cut();
    await expectUnavailable('POST', verify);
    expect((await app.call('GET', `${backups}/${body.id}`)).body).toEqual(verified.body);
    await back();
    engine.refuse(/^GET .*archive\?path=.*tenant-2/, 1, 'the disk does not answer');
    const untested = await app.call('POST', verify);
    expect([untested.status, untested.body.code]).toEqual([503, 'database_unavailable']);
    expect(untested.body.detail).toContain('could not be tested: The data directory');
    expect((await app.call('GET', `${backups}/${body.id}`)).body).toEqual(verified.body);
    expect((await app.call('POST', verify)).body).toMatchObject({ drill: { ok: true } });
  });

  test('an interrupted upgrade waits with its rollback, and does not record the version as failed', async () => {
    await setEnvironment(app, live.id, { MIGRATION: 'slow' });
    const upgrading = app.call('POST', `/api/tenants/${live.id}/upgrade`, { body: { target_version: 'v1.1.0' } });
    const newest = async () => {
      const { body } = await app.call<{ deployments: { id: string; kind: string }[] }>(
        'GET',
        `/api/tenants/${live.id}/deployments?limit=1`,
      );
      return body.deployments[0] ?? { id: '', kind: '' };
    };
    const { id } = await until(newest, ({ kind }) => kind === 'upgrade');
    const logged = (words: string) =>
      until(
        () => getDeployment(app, id),
        ({ logs }) => logs.includes(words),
      );
    await logged('migrating first');
    await engine.cut();
    await logged('The rollback waits for the runtime: The Docker engine does not answer');
    await back();
    const { status, body } = await upgrading;
    expect([status, body.code]).toEqual([502, 'upgrade_failed']);
    expect(body.detail).toContain(`Rolled back: ${live.slug} runs v1.0.0 again, proven healthy`);
    expect(await versionAt(live.backend_port)).toBe('v1.0.0');
    const version = await app.call('GET', `/api/tenants/${live.id}/version`);
    expect(version.body).toMatchObject({ failed_versions: [] });
    await setEnvironment(app, live.id, { COLOUR: 'green' });
  });

  test('an interrupted redeployment fails with the reason; the running version continues and the next one succeeds', async () => {
    const id = await cutInTheMiddle(live.id);
    const end = await endOf(app, id);
    expect(end).toMatchObject({ status: 'failed', error: { step: 'Initialize database' } });
    expect(end.error?.message).toMatch(/Docker engine does not answer/);
    expect(await versionAt(live.backend_port)).toBe('v1.0.0');
    await back();
    expect((await getTenant(app, live.id)).status).toBe('running');
    await until(
      () => unitsOf(live.id),
      (units) => JSON.stringify(units) === JSON.stringify([`${live.slug}-api`, `${live.slug}-frontend`]),
    );
    await setEnvironment(app, live.id, {});
    expect(await deploy(app, live.id, { target_version: 'v1.1.0' })).toMatchObject({ status: 'success', error: null });
    expect(await versionAt(live.backend_port)).toBe('v1.1.0');
  });

  test('an interrupted first deployment fails with the reason, and the next one succeeds', async () => {
    const tenant = await makeTenant(app, repository.path);
    const end = await endOf(app, await cutInTheMiddle(tenant.id));
    expect(end).toMatchObject({ status: 'failed', error: { step: 'Initialize database' } });
    expect(end.error?.message).toMatch(/Docker engine does not answer/);
    expect((await getTenant(app, tenant.id)).status).toBe('error');
    await back();
    await until(
      () => unitsOf(tenant.id),
      (units) => units.length === 0,
    );
    await setEnvironment(app, tenant.id, {});
    expect(await deploy(app, tenant.id)).toMatchObject({ status: 'success', error: null });
    expect(await versionAt(tenant.backend_port)).toBe('v1.1.0');
  });

  test('a deletion does not wait: it fails with the reason, and works when the engine is back', async () => {
    await engine.cut();
    const refused = await app.call('DELETE', `/api/tenants/${live.id}?remove_files=true`);
    expect([refused.status, refused.body.code]).toEqual([503, 'runtime_unavailable']);
    expect((await getTenant(app, live.id)).id).toBe(live.id);
    await back();
    expect((await app.call('DELETE', `/api/tenants/${live.id}?remove_files=true`)).status).toBe(200);
    expect((await app.manager.app.runtime.list()).filter(({ tenantId }) => tenantId === live.id)).toEqual([]);
  });
});
