import { expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { countPeople, importSupporters, supporters } from '../harness/data/contacts.ts';
import { deploy, makeTenant } from '../harness/data/tenants.ts';
import { isExhaustive } from '../harness/exhaustive.ts';
import { describeWithSwarm } from '../harness/swarm/cluster.ts';
import { SwarmApp } from '../harness/swarm/swarm-app.ts';
import { swarmHarness } from '../harness/swarm/swarm-runtime.ts';
import { describeRuntime } from './runtime.ts';

describeWithSwarm('swarm', (cluster) => {
  test('the sample application is deployed and upgraded, each from engines without images', async () => {
    const swarm = await SwarmApp.create(cluster());
    try {
      const { id } = await makeTenant(swarm.app, swarm.repository);
      const deployed = await deploy(swarm.app, id, { target_version: 'v1.0.0' });
      expect(deployed).toMatchObject({ status: 'success', error: null });
      expect(deployed.logs).toContain('Pulling node:24-bookworm-slim');
      await importSupporters(swarm.app, id);
      for (const socketPath of cluster().sockets)
        await new Docker({ socketPath })
          .getImage('node:24-bookworm-slim')
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

  describeRuntime('swarm', () => swarmHarness(cluster()), { only: isExhaustive ? undefined : 'smoke' });
});
