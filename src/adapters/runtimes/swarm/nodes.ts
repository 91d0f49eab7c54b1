import { z } from 'zod';
import { backoff, retry } from '../../../lib/concurrency/retry.ts';
import { notFound } from '../../../lib/errors.ts';
import { getOrUndefined } from '../engine/client/errors.ts';
import { label, labelFilter } from '../engine/labels.ts';
import type { RuntimeNode, RuntimeNodes } from '../nodes.ts';
import { isOutOfSequence, listServices, updateWithinMs } from './client/services.ts';
import { listTasks, storageLabel } from './client/tasks.ts';
import type { SwarmContext } from './context.ts';

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

/** The nodes of the swarm. */
export function createNodes(context: SwarmContext): RuntimeNodes {
  async function tenantsByNode(): Promise<Map<string, Set<string>>> {
    const slugs = new Map((await listServices(context)).map(({ id, labels }) => [id, labels[label.slug] ?? '']));
    const found = new Map<string, Set<string>>();
    for (const { nodeId = '', serviceId, state } of await listTasks(
      context,
      labelFilter({ instance: context.instance }),
    )) {
      const slug = slugs.get(serviceId);
      if (state === 'running' && slug) found.set(nodeId, (found.get(nodeId) ?? new Set()).add(slug));
    }
    return found;
  }

  return {
    async list() {
      const [raw, tenants] = await Promise.all([
        context.call((docker) => docker.listNodes() as Promise<unknown[]>),
        tenantsByNode(),
      ]);
      const nodes = raw.map((one) => shown(node.parse(one)));
      return nodes
        .map((one) => ({ ...one, tenants: [...(tenants.get(one.id) ?? [])].sort() }))
        .sort((a, b) => a.hostname.localeCompare(b.hostname));
    },

    async setAvailability(id, availability) {
      const attempt = async (): Promise<void> => {
        const found = await context.call((docker) =>
          getOrUndefined(() => docker.getNode(id).inspect() as Promise<unknown>),
        );
        if (found === undefined) throw notFound('node', id);
        const { Version: version, Spec: current } = node.parse(found);
        if (current.Availability === availability) return;
        // As of a service: only the body holds the specification.
        const options = { _query: { version: version.Index }, _body: { ...current, Availability: availability } };
        await context.call((docker) => docker.getNode(id).update(options));
      };
      await retry(attempt, { delaysMs: backoff(50, 1_000, updateWithinMs), isTransient: isOutOfSequence });
    },
  };
}

function shown({
  ID: id,
  Spec: wanted,
  Status: status,
  Description: about,
}: z.output<typeof node>): Omit<RuntimeNode, 'tenants'> {
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
