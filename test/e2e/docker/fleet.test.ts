import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { type App, startApp } from '../../harness/app/app.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, makeTenant, setEnvironment, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';
import { EngineProxy } from '../../harness/engine/engine-proxy.ts';

interface FleetAnswer {
  id: string;
  status: string;
  tenants: { status: string; reason: string | null }[];
}

describeWithEngine('fleet upgrades on Docker', () => {
  const docker = new Docker();
  let directory: string;
  let repository: FixtureRepository;
  let engine: EngineProxy;
  let app: App;
  const tenants: TenantAnswer[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-fleet-'));
    repository = await makeFixtureRepository(join(directory, 'repository'));
    engine = await EngineProxy.open();
    app = await startApp({
      environment: { RUNTIME: 'docker', DOCKER_HOST: `unix://${engine.socketPath}` },
      healthTimeoutMs: 120_000,
    });
    await app.call('PUT', '/api/settings/deployment_concurrency', { body: { value: '3' } });
    for (const name of ['one', 'two', 'three', 'four']) tenants.push(await makeTenant(app, repository.path, { name }));
    const deployed = await Promise.all(tenants.map(({ id }) => deploy(app, id, { target_version: 'v1.0.0' })));
    expect(deployed.map(({ status, error }) => [status, error])).toEqual(tenants.map(() => ['success', null]));
  });
  afterAll(async () => {
    const { runtime } = app.manager.app;
    for (const { id } of tenants) await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await runtime.removeReleasesExcept(new Set());
    const left = (await runtime.list()).map(({ name }) => name);
    await app.stop();
    await engine.close();
    await rm(directory, { recursive: true, force: true });
    expect(left).toEqual([]);
  });

  const builds = () => engine.requests.filter((request) => /^POST .*\/build\?/.test(request));

  test('tenants upgraded concurrently share one build of the version, and a failed one is rolled back alone', async () => {
    const failing = tenants[3];
    await setEnvironment(app, failing?.id ?? '', { MODE: 'crash' });
    const before = builds().length;
    const { status, body } = await app.call<FleetAnswer>('POST', '/api/upgrades', {
      body: { target_version: 'v1.1.0', tenant_ids: tenants.map(({ id }) => id), rings: [3, '100%'], max_failures: 1 },
    });
    expect(status).toBe(202);
    const ended = await until(
      async () => (await app.call<FleetAnswer>('GET', `/api/upgrades/${body.id}`)).body,
      (fleet) => !['pending', 'running'].includes(fleet.status),
    );
    expect([ended.status, ended.tenants.map((member) => member.status)]).toEqual([
      'completed',
      ['succeeded', 'succeeded', 'succeeded', 'failed'],
    ]);
    expect(ended.tenants[3]?.reason).toMatch(/does not stay up.*Rolled back/s);
    // One for the image of each unit.
    expect(builds().length - before).toBe(2);

    const images = await Promise.all(
      tenants.map(async ({ slug }) => (await docker.getContainer(`${slug}-api`).inspect()).Image),
    );
    expect(new Set(images.slice(0, 3)).size).toBe(1);
    expect(images[3]).not.toBe(images[0]);
    const versions = tenants.map(async ({ backend_port }) => {
      const answer = await fetch(`http://127.0.0.1:${backend_port}/env`);
      return ((await answer.json()) as { APP_VERSION: string }).APP_VERSION;
    });
    expect(await Promise.all(versions)).toEqual(['v1.1.0', 'v1.1.0', 'v1.1.0', 'v1.0.0']);
  });
});
