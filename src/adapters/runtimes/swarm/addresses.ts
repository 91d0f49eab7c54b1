import { isIP } from 'node:net';
import type { Slots } from '../life-cycle.ts';
import type { Address, Runtime, UnitRef } from '../runtime.ts';
import { unitName } from '../unit-name.ts';
import type { Service } from './client/services.ts';
import { listNodes, type Nodes } from './client/tasks.ts';
import type { SwarmContext } from './context.ts';
import type { UnitTasks } from './units/sweep.ts';
import { currentTask } from './units/unit-state.ts';

interface Parts {
  sweep(unit: UnitRef): Promise<UnitTasks | undefined>;
  slots(unit: UnitRef): Promise<Slots<Service>>;
}

/** Addresses of units: the node that runs the task, and the port that it publishes there. */
export function createAddresses(
  context: SwarmContext,
  { sweep, slots }: Parts,
): Pick<Runtime, 'address' | 'proxyAddress' | 'backupAddresses'> {
  /** Units answer also while no manager does. */
  const last = new Map<string, Address>();

  async function addressOf(unit: UnitRef, port: (found: UnitTasks | undefined) => number): Promise<Address> {
    const name = unitName(unit.tenant.slug, unit.role);
    try {
      const found = await sweep(unit);
      const nodes = found?.nodes ?? (await listNodes(context));
      const { nodeId = '' } = (found && currentTask(found.service, found.tasks)) ?? {};
      const address = { host: (nodes.get(nodeId) ?? anyOf(nodes))?.address ?? '127.0.0.1', port: port(found) };
      last.set(name, address);
      return address;
    } catch (error) {
      const known = last.get(name);
      if (known) return known;
      throw error;
    }
  }

  return {
    address: (unit, hostPort) => addressOf(unit, (found) => publishedPort(found?.service) ?? hostPort),
    async proxyAddress(unit, hostPort) {
      const { staged, live, kept } = await slots(unit);
      const next = staged ?? live ?? (kept === 'none' ? undefined : kept);
      return addressOf(unit, () => publishedPort(next) ?? hostPort);
    },
    /** Also nodes that are down: they may be back when they are needed, and the proxy's files must not change with each. */
    async backupAddresses({ host, port }) {
      const nodes = [...(await listNodes(context)).values()].filter(({ hasStorage }) => hasStorage);
      const others = nodes.map(({ address }) => address).filter((address) => address !== host && isIP(address) !== 0);
      return [...new Set(others)].sort().map((address) => ({ host: address, port }));
    },
  };
}

/** Where a unit without a task would be asked. */
const anyOf = (nodes: Nodes) => [...nodes.values()].find(({ ready }) => ready);

const publishedPort = (service: Service | undefined): number | undefined =>
  service?.spec.EndpointSpec?.Ports?.[0]?.PublishedPort;
