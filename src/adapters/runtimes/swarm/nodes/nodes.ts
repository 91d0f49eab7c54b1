import { z } from 'zod';
import { backoff, retry } from '../../../../lib/concurrency/retry.ts';
import { notFound } from '../../../../lib/errors.ts';
import { getOrUndefined } from '../../engine/client/errors.ts';
import { label } from '../../engine/labels.ts';
import type { RuntimeNode, RuntimeNodes } from '../../nodes.ts';
import { isOutOfSequence, listServices, updateWithinMs } from '../client/services.ts';
import { hasEnded, listTasks, storageLabel, type Task } from '../client/tasks.ts';
import type { SwarmContext } from '../context.ts';
import type { NetworkProblems } from './network-probe.ts';
import { isFresh, type NodeProbe } from './storage-probe.ts';

const spec = z.looseObject({
  Labels: z.record(z.string(), z.string()).nullish(),
  Role: z.enum(['manager', 'worker']),
  Availability: z.enum(['active', 'pause', 'drain']),
});

const node = z.object({
  ID: z.string(),
  Version: z.object({ Index: z.number() }),
  Spec: spec,
  Status: z.object({ State: z.string(), Addr: z.string().default('') }),
  Description: z.object({
    Hostname: z.string().default(''),
    Resources: z.object({ NanoCPUs: z.number().default(0), MemoryBytes: z.number().default(0) }).prefault({}),
    Engine: z.object({ EngineVersion: z.string().default('') }).prefault({}),
  }),
});

type NodeSpec = z.output<typeof spec>;
type NodeLoad = Pick<RuntimeNode, 'tenants' | 'reservedBytes' | 'tenantsReservedBytes'>;

const sumOf = (tasks: readonly Task[]): number => tasks.reduce((sum, { reservedBytes }) => sum + reservedBytes, 0);

/**
 * Changes a node: reads it, decides, and writes with the version that was read; decides again when another update came first.
 * @param change returns the new specification, or undefined when the node is as it should be
 * @throws AppError not_found, runtime_unavailable
 */
async function updateNode(
  { call }: SwarmContext,
  id: string,
  change: (current: NodeSpec) => NodeSpec | undefined,
): Promise<void> {
  const attempt = async (): Promise<void> => {
    const found = await call((docker) => getOrUndefined(() => docker.getNode(id).inspect() as Promise<unknown>));
    if (found === undefined) throw notFound('node', id);
    const { Version: version, Spec: current } = node.parse(found);
    const wanted = change(current);
    if (wanted === undefined) return;
    // As of a service: only the body holds the specification.
    const options = { _query: { version: version.Index }, _body: wanted };
    await call((docker) => docker.getNode(id).update(options));
  };
  await retry(attempt, { delaysMs: backoff(50, 1_000, updateWithinMs), isTransient: isOutOfSequence });
}

/** The nodes of the swarm. @param probed what the last probe found, by node id @param network likewise */
export function createNodes(
  context: SwarmContext,
  probed: ReadonlyMap<string, NodeProbe>,
  network: () => NetworkProblems,
): RuntimeNodes {
  /** What runs on each node. Tasks of others reserve memory, too. */
  async function loads(): Promise<(nodeId: string) => NodeLoad> {
    const [services, tasks] = await Promise.all([listServices(context), listTasks(context, {})]);
    const slugs = new Map(services.map(({ id, labels }) => [id, labels[label.slug] ?? '']));
    return (nodeId) => {
      const here = tasks.filter((task) => task.nodeId === nodeId && !hasEnded(task));
      const own = here.filter(({ serviceId }) => slugs.get(serviceId));
      const running = own.filter(({ state }) => state === 'running');
      return {
        tenants: [...new Set(running.map(({ serviceId }) => slugs.get(serviceId) ?? ''))].sort(),
        reservedBytes: sumOf(here),
        tenantsReservedBytes: sumOf(own),
      };
    };
  }

  return {
    async list() {
      const [raw, loadOf] = await Promise.all([
        context.call((docker) => docker.listNodes() as Promise<unknown[]>),
        loads(),
      ]);
      const nodes = raw.map((one) => shown(node.parse(one)));
      const usageOf = (probe: NodeProbe | undefined) => (probe && isFresh(probe) ? probe.usage : undefined);
      return nodes
        .map((one) => ({
          ...one,
          ...loadOf(one.id),
          // The tasks of a lost node keep their last state for a day.
          ...(one.state === 'ready' ? { usage: usageOf(probed.get(one.id)) } : { tenants: [] }),
          noNewPrivileges: probed.get(one.id)?.noNewPrivileges,
          networkProblems: network().get(one.id) ?? [],
        }))
        .sort((a, b) => a.hostname.localeCompare(b.hostname));
    },

    setAvailability: (id, availability) =>
      updateNode(context, id, (current) =>
        current.Availability === availability ? undefined : { ...current, Availability: availability },
      ),
  };
}

/** Units run only on nodes with this label; one that loses it loses its units to other nodes. */
export async function labelStorage(context: SwarmContext, id: string, has: boolean): Promise<void> {
  await updateNode(context, id, (current) => {
    if ((current.Labels?.[storageLabel] === 'ok') === has) return undefined;
    const { [storageLabel]: _, ...others } = current.Labels ?? {};
    context.logger[has ? 'info' : 'warn']({ node: id }, has ? 'a node has the storage' : 'a node lost the storage');
    return { ...current, Labels: has ? { ...others, [storageLabel]: 'ok' } : others };
  });
}

function shown({
  ID: id,
  Spec: wanted,
  Status: status,
  Description: about,
}: z.output<typeof node>): Omit<RuntimeNode, keyof NodeLoad | 'noNewPrivileges' | 'networkProblems'> {
  const state = status.State === 'ready' ? 'ready' : status.State === 'unknown' ? 'unknown' : 'down';
  const hasStorage = wanted.Labels?.[storageLabel] === 'ok';
  return {
    id,
    hostname: about.Hostname || id,
    state,
    availability: wanted.Availability,
    role: wanted.Role,
    address: status.Addr,
    engineVersion: about.Engine.EngineVersion,
    storage: hasStorage ? 'ok' : state === 'ready' ? 'missing' : 'unknown',
    cpus: about.Resources.NanoCPUs / 1e9,
    memoryBytes: about.Resources.MemoryBytes,
  };
}
