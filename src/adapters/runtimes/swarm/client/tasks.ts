import { z } from 'zod';
import { poll } from '../../../../lib/concurrency/poll.ts';
import { labelFilter } from '../../engine/labels.ts';
import type { SwarmContext } from '../context.ts';

const taskStates = [
  ...['new', 'allocated', 'pending', 'assigned', 'accepted', 'preparing', 'ready', 'starting', 'running'],
  ...['complete', 'shutdown', 'failed', 'rejected', 'remove', 'orphaned'],
] as const;

const task = z
  .object({
    ID: z.string(),
    ServiceID: z.string().default(''),
    NodeID: z.string().optional(),
    CreatedAt: z.string(),
    DesiredState: z.string(),
    NetworksAttachments: z.array(z.object({ Addresses: z.array(z.string()).nullish() })).nullish(),
    Spec: z.object({
      ForceUpdate: z.number().default(0),
      Resources: z.object({ Reservations: z.object({ MemoryBytes: z.number().default(0) }).nullish() }).nullish(),
    }),
    Status: z.object({
      State: z.enum(taskStates as unknown as [string, ...string[]]),
      Timestamp: z.string(),
      Err: z.string().optional(),
      ContainerStatus: z.object({ ContainerID: z.string().default(''), ExitCode: z.number().default(0) }).nullish(),
    }),
  })
  .transform(({ Status: status, ...found }) => ({
    id: found.ID,
    serviceId: found.ServiceID,
    /** undefined: on none yet. */
    nodeId: found.NodeID || undefined,
    /** In its networks, with their prefix: `10.213.0.2/28`. */
    addresses: found.NetworksAttachments?.flatMap(({ Addresses: all }) => all ?? []) ?? [],
    createdAt: found.CreatedAt,
    /** What Swarm wants it to be; `ready` waits for the delay between two restarts. */
    desired: found.DesiredState,
    forced: found.Spec.ForceUpdate,
    reservedBytes: found.Spec.Resources?.Reservations?.MemoryBytes ?? 0,
    state: status.State,
    /** Since when it is in its state. */
    since: status.Timestamp,
    error: status.Err || undefined,
    containerId: status.ContainerStatus?.ContainerID || undefined,
    exitCode: status.ContainerStatus?.ExitCode ?? 0,
  }));

/** The label of nodes that have the shared storage. */
export const storageLabel = 'org.tenantry.storage';

const node = z
  .object({
    ID: z.string(),
    Status: z.object({ State: z.string(), Addr: z.string().default('') }),
    Spec: z
      .object({ Labels: z.record(z.string(), z.string()).nullish(), Availability: z.string().default('active') })
      .optional(),
    Description: z.object({ Hostname: z.string().default('') }).optional(),
  })
  .transform(({ ID: id, Status: status, Spec: spec, Description: description }) => ({
    id,
    name: description?.Hostname || id,
    address: status.Addr,
    ready: status.State === 'ready',
    /** Neither drained nor paused: it takes new tasks. */
    active: spec?.Availability === 'active',
    /** Units may run there. */
    hasStorage: spec?.Labels?.[storageLabel] === 'ok',
  }));

export type Task = z.output<typeof task>;
export type Node = z.output<typeof node>;
export type Nodes = ReadonlyMap<string, Node>;

const endedStates = new Set(['complete', 'shutdown', 'failed', 'rejected', 'remove', 'orphaned']);

/** Whether its container has ended, or never was. */
export const hasEnded = ({ state }: Task): boolean => endedStates.has(state);
export const isWanted = ({ desired }: Task): boolean => desired === 'running' || desired === 'ready';

/** The newest first. */
export async function listTasks({ call }: SwarmContext, filters: Record<string, string[]>): Promise<Task[]> {
  const found = await call((docker) => docker.listTasks({ filters }) as Promise<unknown[]>);
  return found.map((raw) => task.parse(raw)).sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
}

export async function listNodes({ call }: SwarmContext): Promise<Nodes> {
  const found = await call((docker) => docker.listNodes() as Promise<unknown[]>);
  return new Map(found.map((raw) => node.parse(raw)).map((each) => [each.id, each]));
}

/** A removed service's containers end within its grace period of 10 s; with a busy engine it takes longer. */
const endWithinMs = 120_000;

/**
 * Waits until the containers of a tenant's tasks have ended, those of removed services, too. Nodes that are down are not waited
 * for: what runs there is unknown.
 * @param options.except the service whose tasks go on
 * @throws Error after two minutes; the signal's reason
 */
export async function untilEnded(
  context: SwarmContext,
  tenantId: string,
  options: { role?: string; except?: string | undefined; signal?: AbortSignal } = {},
): Promise<void> {
  const { role, except, signal } = options;
  const { instance } = context;
  const filters = labelFilter({ instance, tenant: tenantId, ...(role === undefined ? {} : { role }) });
  let left: string[] = [];
  const ended = async (): Promise<true | undefined> => {
    const found = await listTasks(context, filters);
    const running = found.filter((each) => each.serviceId !== except && each.nodeId !== undefined && !hasEnded(each));
    if (running.length === 0) return true;
    const nodes = await listNodes(context);
    left = running.flatMap(({ nodeId = '' }) => (nodes.get(nodeId)?.ready ? (nodes.get(nodeId)?.name ?? '') : []));
    return left.length === 0 ? true : undefined;
  };
  if (await poll(ended, { timeoutMs: endWithinMs, intervalMs: 200, ...(signal ? { signal } : {}) })) return;
  throw new Error(`Containers did not end within ${endWithinMs / 1000} s on ${[...new Set(left)].join(', ')}`);
}
