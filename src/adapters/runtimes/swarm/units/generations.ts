import { randomBytes } from 'node:crypto';
import { allOrAbort } from '../../../../lib/concurrency/all-or-abort.ts';
import type { Work } from '../../../../lib/concurrency/work.ts';
import { AppError } from '../../../../lib/errors.ts';
import { label } from '../../engine/labels.ts';
import { activate, commit, conclude, rollBack, type Slots } from '../../life-cycle.ts';
import { type TenantSpace, type UnitRef, type UnitSpec, unitRoles } from '../../runtime.ts';
import { unitName } from '../../unit-name.ts';
import { createService, listServices, removeService, type Service, updateService } from '../client/services.ts';
import { isWanted, listTasks, untilEnded } from '../client/tasks.ts';
import type { SwarmContext } from '../context.ts';
import { digestOf, type PlanFacts, type planUnit } from './service-plan.ts';

type Event = (slots: Slots<Service>) => Slots<Service>;
type Plan = (spec: UnitSpec & { generation: string }) => Promise<ReturnType<typeof planUnit>>;

/**
 * The life cycle of a unit as its services, one for each generation, which Swarm can neither rename nor merge. A service's slot, and
 * whether its unit is to run, are its own labels: changing them starts no task. Steps of a change, each one call:
 *
 *     1  removes the services of slots that the target does not have
 *     2  activate: live → slot previous with 0 replicas
 *     3  waits until the unit's other containers have ended (host ports, files); not on nodes that are down
 *     4  staged or kept → slot live, its desired state, as many replicas, and `before=none` when nothing was live before
 *
 * A call after a crash finds the slots of life-cycle.ts: after 1 what was left; after 2 or 3 "activating" (staged and kept), in a
 * rollback "rolling back" (kept alone); after 4 the target. Each step is done again or found done.
 */
export class Generations {
  readonly #context: SwarmContext;
  readonly #facts: PlanFacts;
  readonly #plan: Plan;

  /** @param plan the specification of a unit's service, with its secret */
  constructor(context: SwarmContext, facts: PlanFacts, plan: Plan) {
    this.#context = context;
    this.#facts = facts;
    this.#plan = plan;
  }

  /** Requires the tenant's network and directories. */
  async stage(spec: UnitSpec, work: Work): Promise<void> {
    const digest = digestOf(spec, this.#facts);
    // Ends an earlier deployment's unfinished change, or this one would continue it.
    const { staged } = await this.#change(spec, conclude, work);
    if (staged?.labels[label.spec] === digest) {
      work.log(`${staged.name} is ready already`);
      return;
    }
    if (staged) await removeService(this.#context, staged.id);
    work.signal.throwIfAborted();
    const generation = randomBytes(4).toString('hex');
    const name = `${unitName(spec.tenant.slug, spec.role)}-${generation}`;
    const planned = await this.#plan({ ...spec, generation });
    const labels = { ...planned.Labels, [label.slot]: 'next', [label.desired]: 'running' };
    await createService(this.#context, { ...planned, Name: name, Labels: labels });
    work.log(`Created the service ${name} at commit ${spec.release.commit}`);
  }

  async activate(tenant: TenantSpace, work: Work): Promise<void> {
    for (const role of unitRoles) {
      const { staged, live } = await this.slots({ tenant, role });
      if (!staged && !live) throw new AppError('not_deployed', `Nothing is staged for ${unitName(tenant.slug, role)}`);
    }
    // Both at a time: each unit is down only for its own stop and start.
    await allOrAbort(work.signal, (signal) =>
      unitRoles.map(async (role) => {
        const { live } = await this.#change({ tenant, role }, activate, { log: work.log, signal }, 'running');
        if (live) await this.run(live);
      }),
    );
  }

  async commit(tenant: TenantSpace): Promise<void> {
    const work = { log: () => undefined, signal: new AbortController().signal };
    for (const role of unitRoles) await this.#change({ tenant, role }, commit, work);
  }

  async rollBack(tenant: TenantSpace, work: Work): Promise<void> {
    await allOrAbort(work.signal, (signal) =>
      unitRoles.map((role) => this.#change({ tenant, role }, rollBack, { log: work.log, signal })),
    );
  }

  /** The live generation, or the kept one while there is no live one. */
  async current(unit: UnitRef): Promise<Service | undefined> {
    return conclude(await this.slots(unit)).live;
  }

  async isLive(spec: UnitSpec): Promise<boolean> {
    return (await this.slots(spec)).live?.labels[label.spec] === digestOf(spec, this.#facts);
  }

  async slots({ tenant, role }: UnitRef): Promise<Slots<Service>> {
    return slotsOf(await listServices(this.#context, { tenant: tenant.id, role }));
  }

  /**
   * Makes sure that a live service runs. One that was given up starts again with a raised `ForceUpdate` only.
   * @param again also when it runs: a restart
   */
  async run(live: Service, again = false): Promise<void> {
    const tasks = await listTasks(this.#context, { service: [live.id] });
    const alive = tasks.some(isWanted);
    const force = live.replicas > 0 && (again || !alive);
    await this.#set(live, 'running', force ? live.forced + 1 : live.forced);
  }

  async stop(unit: UnitRef): Promise<void> {
    const { live } = await this.slots(unit);
    if (!live) return;
    await this.#set(live, 'stopped', live.forced);
    await untilEnded(this.#context, unit.tenant.id, { role: unit.role });
  }

  async #set(live: Service, desired: 'running' | 'stopped', forced: number): Promise<void> {
    const replicas = desired === 'running' ? 1 : 0;
    await updateService(this.#context, live.id, (found) => {
      if (found.labels[label.desired] === desired && found.replicas === replicas && found.forced >= forced)
        return undefined;
      return {
        ...found.spec,
        Labels: { ...found.labels, [label.desired]: desired },
        Mode: { Replicated: { Replicas: replicas } },
        TaskTemplate: { ...found.spec.TaskTemplate, ForceUpdate: Math.max(found.forced, forced) },
      };
    });
  }

  /** Brings a unit's services to where an event of the life cycle leads. @param desired what the live one is to be; default: as it was */
  async #change(unit: UnitRef, event: Event, work: Work, desired?: 'running'): Promise<Slots<Service>> {
    const found = await this.slots(unit);
    const target = event(found);
    const { live, kept } = target;
    const remaining: unknown[] = [target.staged, live, kept];
    for (const service of [found.staged, found.live, found.kept]) {
      work.signal.throwIfAborted();
      if (service && service !== 'none' && !remaining.includes(service)) await removeService(this.#context, service.id);
    }
    if (kept && kept !== 'none' && kept === found.live) {
      work.signal.throwIfAborted();
      work.log(`Stopping ${unitName(unit.tenant.slug, unit.role)}`);
      await this.#keep(kept);
    }
    if (live !== found.live) {
      await untilEnded(this.#context, unit.tenant.id, { role: unit.role, except: live?.id, signal: work.signal });
      work.signal.throwIfAborted();
      if (live) work.log(`Starting ${unitName(unit.tenant.slug, unit.role)}`);
    }
    if (live) await this.#makeLive(live, kept === 'none', live === found.live ? undefined : desired);
    return target;
  }

  async #keep(live: Service): Promise<void> {
    await updateService(this.#context, live.id, (found) => {
      if (found.labels[label.slot] === 'previous') return undefined;
      const { [label.before]: _, ...labels } = found.labels;
      return {
        ...found.spec,
        Labels: { ...labels, [label.slot]: 'previous' },
        Mode: { Replicated: { Replicas: 0 } },
      };
    });
  }

  async #makeLive(service: Service, isFirst: boolean, desired: 'running' | undefined): Promise<void> {
    await updateService(this.#context, service.id, (found) => {
      const { [label.before]: before, ...labels } = found.labels;
      const slot = found.labels[label.slot];
      if (slot === 'live' && (before === 'none') === isFirst) return undefined;
      const wanted = desired ?? labels[label.desired] ?? 'running';
      return {
        ...found.spec,
        Labels: {
          ...labels,
          ...(isFirst ? { [label.before]: 'none' } : {}),
          ...{ [label.slot]: 'live', [label.desired]: wanted },
        },
        Mode: { Replicated: { Replicas: wanted === 'running' ? 1 : 0 } },
      };
    });
  }
}

/** The services of one unit by their slots; of two in one slot the newest counts. */
export function slotsOf(services: readonly Service[]): Slots<Service> {
  const oldestFirst = services.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  const at = (slot: string): Service | undefined => oldestFirst.findLast(({ labels }) => labels[label.slot] === slot);
  const live = at('live');
  return { staged: at('next'), live, kept: live?.labels[label.before] === 'none' ? 'none' : at('previous') };
}
