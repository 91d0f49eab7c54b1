import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { stepBegins, untilShown } from '../../crash/drills/kill-in-step.ts';
import { deploy, endOf, getTenant, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { describeWithSwarm, type NodeNumber } from '../../harness/swarm/cluster.ts';
import { SwarmApp } from '../../harness/swarm/swarm-app.ts';

describeWithSwarm('drill: nodes and registry in trouble', (cluster) => {
  let swarm: SwarmApp;
  let tenant: TenantAnswer;
  let version: string;

  beforeAll(async () => {
    swarm = await SwarmApp.create(cluster(), { nginx: true });
    tenant = await makeTenant(swarm.app, swarm.repository);
    version = 'v1.0.0';
    expect(await deploy(swarm.app, tenant.id, { target_version: version })).toMatchObject({ status: 'success' });
  });
  beforeEach(() => healthy(version));
  afterAll(() => swarm.destroy());

  const healthy = (wanted: string): Promise<unknown> =>
    until(
      () => swarm.health(tenant),
      (answer) => answer?.status === 'healthy' && answer.version === wanted,
    );
  const upgrade = async (): Promise<{ id: string; next: string }> => {
    const { version: next } = await swarm.release();
    const path = `/api/tenants/${tenant.id}/upgrade?wait=false`;
    const { deployment_id } = await swarm.call<{ deployment_id: string }>('POST', path, 202, { target_version: next });
    return { id: deployment_id, next };
  };
  const nodeOfApi = async (): Promise<NodeNumber> => (await swarm.nodeOf(tenant, 'api')) ?? 3;
  /** It failed for this reason, and the tenant has what it had. */
  async function expectUnchanged(id: string, reason: RegExp): Promise<void> {
    const { status, error } = await endOf(swarm.app, id);
    expect([status, error?.message]).toEqual(['failed', expect.stringMatching(reason)]);
    await healthy(version);
    expect((await getTenant(swarm.app, tenant.id)).status).toBe('running');
    const live = await swarm.call('GET', `/api/tenants/${tenant.id}/version`, 200);
    expect(live).toMatchObject({ deployed_version: version });
    expect(await swarm.app.manager.app.runtime.pendingChanges()).toEqual([]);
  }

  test('an upgrade whose node is drained goes on at another node', async () => {
    const { id, next } = await upgrade();
    await untilShown(swarm.app, id, stepBegins('Health check'));
    const drained = await nodeOfApi();
    await swarm.allow(...([1, 2, 3] as const).filter((node) => node !== drained));
    expect(await endOf(swarm.app, id)).toMatchObject({ status: 'success', error: null });
    version = next;
    await until(nodeOfApi, (node) => node !== drained);
    await healthy(version);
    await swarm.allow(1, 2, 3);
  });

  test('an upgrade that no node has room for fails with Swarm’s reason', async () => {
    await swarm.call('PUT', '/api/settings/unit_memory_mb', 200, { value: 1_000_000 });
    const { id } = await upgrade();
    await expectUnchanged(id, /no suitable node \(insufficient resources on 3 nodes\)/);
    await swarm.call('PUT', '/api/settings/unit_memory_mb', 200, { value: 512 });
  });

  test('an upgrade while the registry is away fails with its address', async () => {
    await cluster().stopRegistry();
    const { id } = await upgrade();
    await expectUnchanged(id, /registry 10\.99\.0\.254:5000 \(SWARM_REGISTRY\)/);
    await cluster().startRegistry();
    const again = await upgrade();
    expect(await endOf(swarm.app, again.id)).toMatchObject({ status: 'success', error: null });
    version = again.next;
  });

  test('an upgrade whose node has lost the storage goes on at another node', async () => {
    const without = await nodeOfApi();
    await cluster().unmount(without);
    const { id, next } = await upgrade();
    const { status, error } = await endOf(swarm.app, id);
    console.info(`upgrade with a node without the storage: ${status} ${error?.message ?? ''}`);
    if (status === 'success') version = next;
    else expect(error?.message).toMatch(/bind source path does not exist|no suitable node/);
    await healthy(version);
    expect(await nodeOfApi()).not.toBe(without);
    await cluster().mount(without);
  });
});
