import { expect, test } from '@jest/globals';
import type Docker from 'dockerode';
import type { SwarmContext } from '../../../../../src/adapters/runtimes/swarm/context.ts';
import { createNodes } from '../../../../../src/adapters/runtimes/swarm/nodes/nodes.ts';

const node = (id: string, state: string) => ({
  ID: id,
  Version: { Index: 1 },
  Spec: { Role: 'manager', Availability: 'active', Labels: { 'org.tenantry.storage': 'ok' } },
  Status: { State: state, Addr: '10.0.0.1' },
  Description: { Hostname: `node-${id}` },
});
/** As Swarm keeps it for a day after its node was lost. */
const runningTask = (id: string, nodeId: string) => ({
  ...{ ID: id, ServiceID: 'service', NodeID: nodeId, CreatedAt: '', DesiredState: 'running' },
  Spec: { Resources: { Reservations: { MemoryBytes: 64 } } },
  Status: { State: 'running', Timestamp: '' },
});

test('a node that is down has no running tenants, though its tasks keep their last state', async () => {
  const docker = {
    listNodes: async () => [node('a', 'ready'), node('b', 'down')],
    listServices: async () => [
      {
        ID: 'service',
        Spec: { Name: 'acme-api', Labels: { 'org.tenantry.slug': 'acme' }, Mode: { Replicated: { Replicas: 1 } } },
      },
    ],
    listTasks: async () => [runningTask('new', 'a'), runningTask('old', 'b')],
  } as unknown as Docker;
  const context = { instance: 'test', call: (request) => request(docker) } as Pick<SwarmContext, 'instance' | 'call'>;
  const nodes = await createNodes(context as SwarmContext, new Map(), () => new Map()).list();
  expect(nodes.map(({ id, state, tenants }) => [id, state, tenants])).toEqual([
    ['a', 'ready', ['acme']],
    ['b', 'down', []],
  ]);
});
