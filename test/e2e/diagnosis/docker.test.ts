import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { checkApart } from '../../api/incidents/incident-answers.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { failWith, makeFaultyRepository } from '../../harness/data/faulty-application.ts';
import { deploy, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { timelineOfFleet } from '../../harness/data/timeline.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';
import { EngineProxy } from '../../harness/engine/engine-proxy.ts';
import { diagnosed, setSettings, type UnitFault, well } from './faults.ts';

describeWithEngine('the diagnosis of containers', () => {
  const docker = new Docker();
  let directory: string;
  let engine: EngineProxy;
  let app: App;
  let tenant: TenantAnswer;

  const container = (role = 'api') => docker.getContainer(`${tenant.slug}-${role}`);
  const networkOf = async () => {
    const [found] = await docker.listNetworks({ filters: { label: [`org.tenantry.tenant=${tenant.id}`] } });
    return docker.getNetwork(found?.Id ?? '');
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-diagnosis-'));
    const repository = join(directory, 'repository');
    await makeFaultyRepository(repository);
    engine = await EngineProxy.open();
    app = await startApp({ environment: { RUNTIME: 'docker', DOCKER_HOST: `unix://${engine.socketPath}` } });
    await setSettings(app, { health_check_timeout: 2, unit_memory_mb: 128 });
    tenant = await makeTenant(app, repository);
    expect(await deploy(app, tenant.id, { target_version: 'v2.0.0' })).toMatchObject({ error: null });
  });
  afterAll(async () => {
    await engine.restore();
    const { runtime } = app.manager.app;
    await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await runtime.removeReleasesExcept(new Set());
    const left = (await runtime.list()).map(({ name }) => name);
    await app.stop();
    await engine.close();
    await rm(directory, { recursive: true, force: true });
    expect(left).toEqual([]);
  });
  afterEach(async () => {
    await failWith(app, tenant, 'api', 'none');
    await failWith(app, tenant, 'frontend', 'none');
    await well(app, tenant.id, 60_000);
  });

  test('a healthy tenant has no cause', async () => {
    expect(await well(app, tenant.id)).toMatchObject({ cause: null, known: true });
  });

  test.each<UnitFault>([
    ['exit-3', 'api', 'unit_crashed'],
    ['memory', 'api', 'out_of_memory'],
    ['abort', 'frontend', 'unit_killed'],
    ['missing-module', 'api', 'missing_module'],
    ['no-listen', 'frontend', 'not_listening'],
    ['hang', 'api', 'application_hangs'],
  ])('%s of the %s is %s', async (fault, role, expected) => {
    await failWith(app, tenant, role, fault);
    const { cause } = await diagnosed(app, tenant.id, expected, 40_000);
    expect(cause?.evidence.length).toBeGreaterThan(0);
  });

  test('a container that crashes again and again, of which the engine keeps nothing while it runs', async () => {
    await failWith(app, tenant, 'api', 'crash-later');
    const { cause } = await until(
      async () => {
        await app.call('POST', `/api/tenants/${tenant.id}/health-check`);
        return app.manager.app.diagnosis.of(tenant.id, { fresh: true });
      },
      (found) => found.cause?.params?.restarts !== undefined,
      60_000,
    );
    expect(cause).toMatchObject({
      code: 'uncaught_exception',
      title: expect.stringMatching(
        /^The API crashes: TypeError: cannot send mail with undefined at server\.js:\d+, \d+ restarts in 1 min$/,
      ),
    });
  });

  describe('at the engine', () => {
    test('a paused container', async () => {
      await container().pause();
      const { cause } = await diagnosed(app, tenant.id, 'unit_paused');
      expect(cause?.remedy?.action).toBe('restart');
      await container().unpause();
    });

    test('a stopped container', async () => {
      await container().stop();
      await diagnosed(app, tenant.id, 'unit_stopped_outside');
    });

    test('a container without its network', async () => {
      const network = await networkOf();
      await network.disconnect({ Container: `${tenant.slug}-api`, Force: true });
      try {
        await diagnosed(app, tenant.id, 'unit_unreachable', 40_000);
      } finally {
        await network.connect({ Container: `${tenant.slug}-api` });
      }
    });

    test('a container whose network was removed', async () => {
      const network = await networkOf();
      await container().stop();
      for (const id of Object.keys((await network.inspect()).Containers ?? {}))
        await network.disconnect({ Container: id, Force: true });
      await network.remove();
      await expect(container().start()).rejects.toThrow('network');
      const { cause } = await diagnosed(app, tenant.id, 'cannot_start');
      expect(cause?.evidence[0]?.fact).toMatch(/^State of the API: .*network/);
      expect(cause?.remedy?.action).toBe('redeploy');
      expect(await deploy(app, tenant.id, { target_version: 'v2.0.0' })).toMatchObject({ error: null });
    });

    test('an engine that is away, whatever the application does', async () => {
      await failWith(app, tenant, 'api', 'exit-3');
      await diagnosed(app, tenant.id, 'unit_crashed', 40_000);
      await engine.cut();
      try {
        const { cause } = await diagnosed(app, tenant.id, 'engine_unavailable', 40_000);
        expect(cause).toMatchObject({ scope: { kind: 'engine', name: 'Docker' }, confidence: 'certain' });
        await checkApart(() => app.call('POST', `/api/tenants/${tenant.id}/health-check`));
        const [opened] = await until(
          () => timelineOfFleet(app, 'engine'),
          ({ length }) => length > 0,
        );
        expect(opened).toMatchObject({ title: `Incident: ${cause?.title}`, link: { type: 'incident' } });
      } finally {
        await engine.restore();
      }
    });

    test('a refused key, with the clock of the engine as evidence where it differs', async () => {
      const warnings = async () =>
        (await app.call<{ warnings: string[] }>('GET', '/api/system')).body.warnings.filter((one) => /clock/.test(one));
      expect(await warnings()).toEqual([]);
      engine.clockAheadMs = -120_000;
      try {
        const fact = 'The clock of the container engine is 2 min behind the manager’s';
        expect(await warnings()).toEqual([expect.stringContaining(fact)]);
        await failWith(app, tenant, 'api', 'other-key');
        const { cause } = await diagnosed(app, tenant.id, 'api_key_refused', 40_000);
        expect(cause?.evidence).toContainEqual(expect.objectContaining({ fact, source: 'Docker' }));
      } finally {
        engine.clockAheadMs = 0;
      }
      const { cause } = await diagnosed(app, tenant.id, 'api_key_refused');
      expect(cause?.evidence.filter(({ fact }) => /clock/.test(fact))).toEqual([]);
    });

    test('a removed image', async () => {
      const { Image: image } = await container('api').inspect();
      await container('api').remove({ force: true });
      await docker.getImage(image).remove({ force: true });
      const { cause } = await diagnosed(app, tenant.id, 'release_missing');
      expect(cause?.remedy?.action).toBe('redeploy');
      expect(await deploy(app, tenant.id, { target_version: 'v2.0.0' })).toMatchObject({ error: null });
    });

    test('a removed container', async () => {
      await container('frontend').remove({ force: true });
      const { cause } = await diagnosed(app, tenant.id, 'unit_missing');
      expect(cause?.remedy?.action).toBe('redeploy');
      expect(await deploy(app, tenant.id, { target_version: 'v2.0.0' })).toMatchObject({ error: null });
    });
  });
});
