import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { publicImages } from '../../src/adapters/runtimes/image-access.ts';
import { countPeople, importSupporters, supporters } from '../harness/data/contacts.ts';
import { preflightOf } from '../harness/data/preflight.ts';
import { deploy, makeTenant, until } from '../harness/data/tenants.ts';
import { isExhaustive } from '../harness/exhaustive.ts';
import { describeWithSwarm } from '../harness/swarm/cluster.ts';
import { SwarmApp } from '../harness/swarm/swarm-app.ts';
import { swarmHarness, testSwarmRuntime } from '../harness/swarm/swarm-runtime.ts';
import { describeRuntime } from './runtime.ts';
import { quietWork } from './runtime-world.ts';

const image = 'node:24-bookworm-slim';

describeWithSwarm('swarm', (cluster) => {
  const engines = (): Docker[] => cluster().sockets.map((socketPath) => new Docker({ socketPath }));
  /** What checks of the host have left. */
  async function leftOfChecks(): Promise<object[]> {
    const filters = { label: ['org.tenantry.role=preflight'] };
    const found = engines().flatMap((docker) => [
      docker.listContainers({ all: true, filters }),
      docker.listImages({ filters }),
      docker.listNetworks({ filters: { label: ['org.tenantry.tenant=preflight'] } }),
    ]);
    return (await Promise.all<object[]>(found)).flat();
  }
  /** An engine lists a removed network for some moments. */
  const nothingIsLeft = () => until(leftOfChecks, (found) => found.length === 0);

  // The first one: checks of the host pull the image, too.
  test('the sample application is deployed and upgraded, each from engines without images', async () => {
    const swarm = await SwarmApp.create(cluster());
    try {
      const { id } = await makeTenant(swarm.app, swarm.repository);
      const deployed = await deploy(swarm.app, id, { target_version: 'v1.0.0' });
      expect(deployed).toMatchObject({ status: 'success', error: null });
      expect(deployed.logs).toContain('Pulling node:24-bookworm-slim');
      await importSupporters(swarm.app, id);
      for (const docker of engines())
        await docker
          .getImage(image)
          .remove()
          .catch(() => undefined);
      const { body } = await swarm.app.call('POST', `/api/tenants/${id}/upgrade`, {
        body: { target_version: 'v1.1.0' },
      });
      expect(body).toMatchObject({ status: 'success', new_version: 'v1.1.0' });
      expect(await countPeople(swarm.app, id)).toBe(supporters.people);
      await swarm.app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    } finally {
      await swarm.destroy();
    }
  });

  test('a host is checked by a pull, a build, an overlay network, containers and a port', async () => {
    const outside = createServer((_request, response) => response.end('here'));
    await new Promise<void>((resolve) => outside.listen(0, '0.0.0.0', resolve));
    const outsideUrl = `http://${cluster().host}:${(outside.address() as AddressInfo).port}/`;
    const swarm = await SwarmApp.create(cluster(), { outsideUrl });
    try {
      const found = await preflightOf(swarm.app);
      expect(found.checks.map(({ check, status, detail }) => [check, status === 'good' ? status : detail])).toEqual(
        [
          ...['runtime', 'base_image', 'build', 'network', 'containers', 'published_port', 'container_names'],
          ...['container_https', 'host_names', 'host_https', 'tenant_database', 'clock', 'data_disk', 'engine_disk'],
        ].map((check) => [check, 'good']),
      );
      await nothingIsLeft();
    } finally {
      await swarm.destroy();
      outside.closeAllConnections();
      outside.close();
    }
  });

  test('the containers of a check are confined, and removed by the next manager after a kill', async () => {
    const instance = `test-${randomBytes(6).toString('hex')}`;
    const { probes: killed } = testSwarmRuntime(cluster(), { instance });
    await killed?.pull(image, publicImages, quietWork());
    await killed?.network();
    const made = await killed?.containers(image, quietWork());
    await made?.reachEachOther(quietWork());
    const [docker] = engines();
    const running = (await docker?.listContainers({ filters: { label: [`org.tenantry.instance=${instance}`] } })) ?? [];
    expect(running).toHaveLength(2);
    for (const { Id: id } of running)
      expect((await docker?.getContainer(id).inspect())?.HostConfig).toMatchObject({
        ...{ NetworkMode: `swarm-tenantry--preflight-${instance}`, CapDrop: ['ALL'], Memory: 256 * 1024 ** 2 },
        ...{ SecurityOpt: ['no-new-privileges'], NanoCpus: 1e9, PidsLimit: 64 },
      });
    await testSwarmRuntime(cluster(), { instance }).probes?.clear();
    await nothingIsLeft();
  });

  describeRuntime('swarm', () => swarmHarness(cluster()), { only: isExhaustive ? undefined : 'smoke' });
});
