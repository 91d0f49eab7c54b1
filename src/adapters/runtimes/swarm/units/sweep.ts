import { label, labelFilter } from '../../engine/labels.ts';
import { conclude } from '../../life-cycle.ts';
import type { UnitRef } from '../../runtime.ts';
import { listServices, type Service } from '../client/services.ts';
import { listNodes, listTasks, type Nodes, type Task } from '../client/tasks.ts';
import type { SwarmContext } from '../context.ts';
import { slotsOf } from './generations.ts';

/** A unit's service, the live one or the one kept while there is none, and its tasks, the newest first. */
export interface UnitTasks {
  service: Service;
  tasks: Task[];
  nodes: Nodes;
  /** The generation that is kept for a rollback. */
  kept?: Omit<UnitTasks, 'kept' | 'nodes'> | undefined;
}

/** What was read in one look. */
interface Look {
  services: ReadonlyMap<string, Service[]>;
  tasks: ReadonlyMap<string, Task[]>;
  nodes: Nodes;
}

/** Up to this many tenants are looked up one by one; more, as in a health sweep, in one listing of everything. */
const maxSingle = 3;
/** Calls within this time share a look. */
const gatherMs = 5;

const keyOf = (tenantId: string, role: string): string => `${tenantId} ${role}`;

/**
 * Reads units' states. Simultaneous calls share one listing of services, tasks and nodes each; a look begins after the call that it
 * answers, so that no caller reads a state from before.
 */
export function createSweep(context: SwarmContext): (unit: UnitRef) => Promise<UnitTasks | undefined> {
  const { instance } = context;
  let waiting: { tenants: Set<string>; look: Promise<Look> } | undefined;
  let current: Promise<unknown> = Promise.resolve();

  async function look(tenants: ReadonlySet<string>): Promise<Look> {
    const filters = tenants.size > maxSingle ? [{}] : [...tenants].map((tenant) => ({ tenant }));
    const [nodes, ...found] = await Promise.all([
      listNodes(context),
      ...filters.map(async (filter) => {
        const wanted = labelFilter({ instance, ...filter });
        const [services, tasks] = await Promise.all([listServices(context, filter), listTasks(context, wanted)]);
        return { services, tasks };
      }),
    ]);
    const services = found.flatMap((each) => each.services);
    const tasks = found.flatMap((each) => each.tasks);
    return {
      nodes,
      services: Map.groupBy(services, ({ labels }) => keyOf(labels[label.tenant] ?? '', labels[label.role] ?? '')),
      tasks: Map.groupBy(tasks, ({ serviceId }) => serviceId),
    };
  }

  function join(tenantId: string): Promise<Look> {
    if (!waiting) {
      const tenants = new Set<string>();
      const next = (async () => {
        await current.catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, gatherMs));
        waiting = undefined;
        return look(tenants);
      })();
      next.catch(() => undefined);
      waiting = { tenants, look: next };
      current = next;
    }
    waiting.tenants.add(tenantId);
    return waiting.look;
  }

  return async ({ tenant, role }) => {
    const { services, tasks, nodes } = await join(tenant.id);
    const slots = slotsOf(services.get(keyOf(tenant.id, role)) ?? []);
    const service = conclude(slots).live;
    if (!service) return undefined;
    const tasksOf = ({ id }: Service): Task[] => tasks.get(id) ?? [];
    const { kept } = slots;
    return {
      service,
      tasks: tasksOf(service),
      nodes,
      kept:
        kept === undefined || kept === 'none' || kept === service ? undefined : { service: kept, tasks: tasksOf(kept) },
    };
  };
}
