import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { CauseCode } from '../../../src/features/diagnosis/diagnosis.ts';
import { failWith, makeFaultyRepository } from '../../harness/data/faulty-application.ts';
import { deploy, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';
import { describeWithSwarm } from '../../harness/swarm/cluster.ts';
import { SwarmApp } from '../../harness/swarm/swarm-app.ts';
import { diagnosed, setSettings, type UnitFault, well } from '../diagnosis/faults.ts';

/** Tasks start and end within seconds, and a lost node is noticed after 20 s. */
const shownWithinMs = 90_000;
const version = 'v2.1.0';

describeWithSwarm('the diagnosis of services of a swarm', (cluster) => {
  let directory: string;
  let swarm: SwarmApp;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-swarm-diagnosis-'));
    const repository = join(directory, 'repository');
    await makeFaultyRepository(repository);
    swarm = await SwarmApp.create(cluster());
    await setSettings(swarm.app, { health_check_timeout: 2, unit_memory_mb: 128 });
    tenant = await makeTenant(swarm.app, repository);
    expect(await deploy(swarm.app, tenant.id, { target_version: version })).toMatchObject({ error: null });
  });
  afterAll(async () => {
    await swarm.destroy();
    await rm(directory, { recursive: true, force: true });
  });
  afterEach(async () => {
    await failWith(swarm.app, tenant, 'api', 'none');
    await failWith(swarm.app, tenant, 'frontend', 'none');
    await well(swarm.app, tenant.id, shownWithinMs);
  });

  const expectCause = (code: CauseCode) => diagnosed(swarm.app, tenant.id, code, shownWithinMs);
  const serviceOf = async (role: 'api' | 'frontend') => {
    const label = [`org.tenantry.tenant=${tenant.id}`, `org.tenantry.role=${role}`, 'org.tenantry.slot=live'];
    const [found] = await swarm.docker.listServices({ filters: { label } });
    return swarm.docker.getService(found?.ID ?? '');
  };

  test('a healthy tenant has no cause', async () => {
    expect(await well(swarm.app, tenant.id)).toMatchObject({ cause: null, known: true });
  });

  test.each<UnitFault>([
    ['exit-3', 'api', 'unit_crashed'],
    ['memory', 'api', 'out_of_memory'],
    ['abort', 'frontend', 'unit_killed'],
    ['missing-module', 'api', 'missing_module'],
    ['no-listen', 'frontend', 'not_listening'],
    ['hang', 'api', 'application_hangs'],
    ['status-500', 'frontend', 'application_fails'],
  ])('%s of the %s is %s', async (fault, role, expected) => {
    await failWith(swarm.app, tenant, role, fault);
    const { cause } = await expectCause(expected);
    expect(cause?.evidence.length).toBeGreaterThan(0);
  });

  describe('at the swarm', () => {
    test('a service that was scaled to 0', async () => {
      const service = await serviceOf('api');
      const { Spec, Version } = await service.inspect();
      await service.update({ ...Spec, Mode: { Replicated: { Replicas: 0 } }, version: Version.Index });
      const { cause } = await expectCause('unit_stopped_outside');
      expect(cause?.remedy?.action).toBe('restart');
    });

    test('a removed service', async () => {
      await (await serviceOf('frontend')).remove();
      const { cause } = await expectCause('unit_missing');
      expect(cause?.remedy?.action).toBe('redeploy');
      expect(await deploy(swarm.app, tenant.id, { target_version: version })).toMatchObject({ error: null });
    });

    test('no node that takes it', async () => {
      const drain = async (Availability: 'drain' | 'active'): Promise<void> => {
        for (const { ID, Spec, Version } of await swarm.docker.listNodes())
          await swarm.docker.getNode(ID).update({ ...Spec, Availability, version: Version.Index });
      };
      await drain('drain');
      try {
        const { cause } = await expectCause('no_suitable_node');
        expect(cause?.evidence[0]?.fact).toContain('no suitable node (3 nodes not available for new tasks)');
      } finally {
        await drain('active');
      }
    });

    test('its node is lost, and no other one takes it', async () => {
      await swarm.allow(3);
      await well(swarm.app, tenant.id, shownWithinMs);
      await cluster().kill(3);
      try {
        const { cause } = await expectCause('node_unavailable');
        expect(cause).toMatchObject({ scope: { kind: 'node', name: 'node3' }, confidence: 'certain' });
      } finally {
        await cluster().start(3);
        await swarm.allow(1, 2, 3);
      }
    });
  });
});
