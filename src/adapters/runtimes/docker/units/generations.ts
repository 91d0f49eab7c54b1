import { randomBytes } from 'node:crypto';
import type { ContainerInspectInfo } from 'dockerode';
import { allOrAbort } from '../../../../lib/concurrency/all-or-abort.ts';
import { AppError } from '../../../../lib/errors.ts';
import { type TenantSpace, type UnitRef, type UnitSpec, unitRoles, type Work } from '../../runtime.ts';
import { unitName } from '../../unit-name.ts';
import type { DockerContext } from '../context.ts';
import { giveDirectories } from '../files/volumes.ts';
import { label, tenantLabels } from '../labels.ts';
import { containerName, type Slot } from '../names.ts';
import { dataDirectory, importDirectory, planUnit } from './container-plan.ts';
import type { Containers } from './containers.ts';
import { desiredState } from './desired-state.ts';

/** The containers of a unit. */
type Slots = Record<Slot, ContainerInspectInfo | undefined>;

/** The generation of the placeholder in the slot `previous` at a first activation: rolling back means to nothing. */
const nothing = 'none';

/**
 * The succession of a unit's containers: next, live, previous. A container's slot is its name, and each step is one rename,
 * start or removal whose completion shows in the names; so a call after a crash between any two steps continues there. Each
 * checks its signal before each step: an abandoned call that hung changes nothing when the engine answers again. The states:
 *
 *     next live          staged                      live                committed
 *     next               staged, the first time      live previous       activated
 *     next previous      during `activate`           previous            during `rollback`
 */
export class Generations {
  readonly #context: DockerContext;
  readonly #containers: Containers;

  constructor(context: DockerContext, containers: Containers) {
    this.#context = context;
    this.#containers = containers;
  }

  /** Requires the tenant's network and volumes. */
  async stage(spec: UnitSpec, work: Work): Promise<void> {
    const facts = await this.#context.facts();
    const plan = planUnit(spec, facts);
    const { next } = await this.#conclude(spec);
    const name = containerName(spec.tenant.slug, spec.role, 'next');
    if (next?.Config.Labels[label.spec] === plan.digest) {
      work.log(`${name} is ready already`);
      return;
    }
    if (next) await this.#containers.remove(next.Id);
    work.signal.throwIfAborted();
    const generation = { [label.generation]: randomBytes(6).toString('hex') };
    const container = await this.#containers.create(name, plan, generation);
    // Both units share the volumes; they belong to the api's user, which writes the imports and the database file.
    if (spec.role === 'api') {
      const paths = [dataDirectory, importDirectory(facts, spec.tenant)];
      await giveDirectories(container, paths, await this.#context.users.ownerIn(container));
    }
    work.log(`Created ${name} at commit ${spec.release.commit}`);
  }

  async activate(tenant: TenantSpace, work: Work): Promise<void> {
    for (const role of unitRoles) {
      const unit = { tenant, role };
      const { next, live } = await this.#find(unit);
      if (!next && !live) throw new AppError('not_deployed', `Nothing is staged for ${unitName(tenant.slug, role)}`);
    }
    // Both at a time: each unit is down only for its own stop and start.
    await allOrAbort(work.signal, (signal) =>
      unitRoles.map((role) => this.#activateUnit({ tenant, role }, { log: work.log, signal })),
    );
  }

  async settle(tenant: TenantSpace): Promise<void> {
    for (const role of unitRoles) {
      const { next, live, previous } = await this.#find({ tenant, role });
      // Without a live one, only the kept one is there.
      if (!live) continue;
      if (next) await this.#containers.remove(next.Id);
      if (previous) await this.#containers.remove(previous.Id);
    }
  }

  async revert(tenant: TenantSpace, work: Work): Promise<void> {
    for (const role of unitRoles) await this.#revertUnit({ tenant, role }, work);
  }

  /** The live generation, or the kept one while there is no live one. */
  async current(unit: UnitRef): Promise<ContainerInspectInfo | undefined> {
    const live = await this.live(unit);
    if (live) return live;
    const { previous } = await this.#find(unit);
    return previous && !isNothing(previous) ? previous : undefined;
  }

  async isLive(spec: UnitSpec): Promise<boolean> {
    const live = await this.live(spec);
    return live?.Config.Labels[label.spec] === planUnit(spec, await this.#context.facts()).digest;
  }

  live(unit: UnitRef): Promise<ContainerInspectInfo | undefined> {
    return this.#containers.find(unit.tenant, unitName(unit.tenant.slug, unit.role));
  }

  staged(unit: UnitRef): Promise<ContainerInspectInfo | undefined> {
    return this.#containers.find(unit.tenant, containerName(unit.tenant.slug, unit.role, 'next'));
  }

  async #find({ tenant, role }: UnitRef): Promise<Slots> {
    const [live, next, previous] = await Promise.all(
      (['live', 'next', 'previous'] as const).map((slot) =>
        this.#containers.find(tenant, containerName(tenant.slug, role, slot)),
      ),
    );
    return { live, next, previous };
  }

  /** Ends an earlier deployment's unfinished change (or this one would continue it): the live one counts, else the kept one. */
  async #conclude(unit: UnitRef): Promise<Slots> {
    const found = await this.#find(unit);
    const { live, previous } = found;
    if (!previous) return found;
    if (live || isNothing(previous)) await this.#containers.remove(previous.Id);
    else await this.#restore(unit, previous);
    return this.#find(unit);
  }

  async #activateUnit(unit: UnitRef, work: Work): Promise<void> {
    const { slug } = unit.tenant;
    const name = unitName(slug, unit.role);
    const { next, live, previous } = await this.#find(unit);
    work.signal.throwIfAborted();
    if (next) {
      if (live) {
        if (previous) await this.#containers.remove(previous.Id);
        work.signal.throwIfAborted();
        work.log(`Stopping ${name}`);
        await this.#containers.halt(live.Id);
        work.signal.throwIfAborted();
        await this.#containers.rename(live.Id, containerName(slug, unit.role, 'previous'));
      } else if (!previous) {
        await this.#keepNothing(unit, next);
      }
      work.signal.throwIfAborted();
      await this.#containers.rename(next.Id, name);
    }
    work.signal.throwIfAborted();
    work.log(`Starting ${name}`);
    await this.#containers.start(name, name);
  }

  async #revertUnit(unit: UnitRef, work: Work): Promise<void> {
    const name = unitName(unit.tenant.slug, unit.role);
    const { next, live, previous } = await this.#find(unit);
    work.signal.throwIfAborted();
    if (next) await this.#containers.remove(next.Id);
    work.signal.throwIfAborted();
    if (previous) {
      if (next && live) {
        // A new generation was staged over an uncommitted one: the live one counts.
        await this.#containers.remove(previous.Id);
        return;
      }
      if (live) await this.#containers.remove(live.Id);
      if (isNothing(previous)) {
        await this.#containers.remove(previous.Id);
        return;
      }
      work.signal.throwIfAborted();
      work.log(`Rolling back to the previous ${name}`);
      await this.#restore(unit, previous);
    } else if (live && desiredState(live) === 'running') {
      // An earlier `rollback` may have ended just before this.
      await this.#containers.start(live.Id, name);
    }
  }

  async #restore(unit: UnitRef, previous: ContainerInspectInfo): Promise<void> {
    const name = unitName(unit.tenant.slug, unit.role);
    await this.#containers.rename(previous.Id, name);
    if (desiredState(previous) === 'running') await this.#containers.start(previous.Id, name);
  }

  /** A container that never runs records durably that there was no generation before this one. */
  async #keepNothing({ tenant, role }: UnitRef, next: ContainerInspectInfo): Promise<void> {
    const labels = {
      ...tenantLabels(this.#context.instance, tenant),
      [label.role]: role,
      [label.generation]: nothing,
    };
    const options = { Image: next.Image, Labels: labels, Cmd: ['true'], HostConfig: { NetworkMode: 'none' } };
    await this.#containers.create(containerName(tenant.slug, role, 'previous'), { options, digest: '' });
  }
}

function isNothing(info: ContainerInspectInfo): boolean {
  return info.Config.Labels[label.generation] === nothing;
}
