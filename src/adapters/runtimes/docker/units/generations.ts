import { randomBytes } from 'node:crypto';
import type { Container, ContainerInspectInfo } from 'dockerode';
import { allOrAbort } from '../../../../lib/concurrency/all-or-abort.ts';
import type { Work } from '../../../../lib/concurrency/work.ts';
import { AppError } from '../../../../lib/errors.ts';
import { dataDirectory, importDirectory, type PlanFacts, planRemoval, planUnit } from '../../engine/container-plan.ts';
import type { Owner } from '../../engine/images/image-user.ts';
import { label, tenantLabels } from '../../engine/labels.ts';
import { containerName, imageName, type Slot } from '../../engine/names.ts';
import { activate, commit, conclude, rollBack, type Slots } from '../../life-cycle.ts';
import { type TenantSpace, type UnitRef, type UnitSpec, unitRoles } from '../../runtime.ts';
import { unitName } from '../../unit-name.ts';
import type { DockerContext } from '../context.ts';
import { giveDirectories } from '../files/volumes.ts';
import type { Containers } from './containers.ts';
import { desiredState } from './desired-state.ts';

/** The containers of a unit. */
type Containing = Record<Slot, ContainerInspectInfo | undefined>;

/** The generation of the placeholder in the slot `previous` at a first activation: rolling back means to nothing. */
const nothing = 'none';

/**
 * The life cycle of a unit as its containers. A container's slot is its name, and each step is one rename, start or removal
 * whose completion shows in the names; so a call after a crash between any two steps continues there. Each checks its signal
 * before each step: an abandoned call that hung changes nothing when the engine answers again.
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
    // Ends an earlier deployment's unfinished change, or this one would continue it.
    const { found, target } = await this.#change(spec, conclude, work);
    if (target.live !== found.live) await this.#startIfWanted(target.live, spec);
    const next = target.staged;
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
      const owner = await this.#context.users.ownerIn(container);
      await this.#giveVolumes(spec, container, owner, facts);
    }
    work.log(`Created ${name} at commit ${spec.release.commit}`);
  }

  /** A container with read-only files accepts no archive: another one of the image, which never starts, takes it in its place. */
  async #giveVolumes(spec: UnitSpec, container: Container, owner: Owner, facts: PlanFacts): Promise<void> {
    const { tenant, role, release, definition } = spec;
    const paths = [dataDirectory, importDirectory(facts, tenant)];
    if (!definition.image?.read_only) return giveDirectories(container, paths, owner);
    const name = `${tenant.slug}-job-${randomBytes(6).toString('hex')}`;
    const other = await this.#containers.create(name, planRemoval(tenant, imageName(role, release.key), facts));
    try {
      await giveDirectories(other, paths, owner);
    } finally {
      await this.#containers.remove(name);
    }
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

  async commit(tenant: TenantSpace): Promise<void> {
    const work = { log: () => undefined, signal: new AbortController().signal };
    for (const role of unitRoles) await this.#change({ tenant, role }, commit, work);
  }

  async rollBack(tenant: TenantSpace, work: Work): Promise<void> {
    const wanted: [ContainerInspectInfo | undefined, UnitRef][] = [];
    for (const role of unitRoles) {
      const { found, target } = await this.#change({ tenant, role }, rollBack, work);
      if (target.live && target.live !== found.live)
        work.log(`Rolling back to the previous ${unitName(tenant.slug, role)}`);
      wanted.push([target.live, { tenant, role }]);
    }
    // An earlier call may have ended just before the start. After both changes: one that cannot start leaves none pending.
    for (const [live, unit] of wanted) await this.#startIfWanted(live, unit);
  }

  /** The live generation, or the kept one while there is no live one. */
  async current(unit: UnitRef): Promise<ContainerInspectInfo | undefined> {
    const live = await this.live(unit);
    if (live) return live;
    const { previous } = await this.#find(unit);
    return previous && !isNothing(previous) ? previous : undefined;
  }

  /** The generations that have run and still have a log, the oldest first. */
  async logged(unit: UnitRef): Promise<ContainerInspectInfo[]> {
    const { live, previous } = await this.#find(unit);
    return [previous, live].filter((container) => container !== undefined).filter((container) => !isNothing(container));
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

  async #find({ tenant, role }: UnitRef): Promise<Containing> {
    const [live, next, previous] = await Promise.all(
      (['live', 'next', 'previous'] as const).map((slot) =>
        this.#containers.find(tenant, containerName(tenant.slug, role, slot)),
      ),
    );
    return { live, next, previous };
  }

  async #activateUnit(unit: UnitRef, work: Work): Promise<void> {
    const name = unitName(unit.tenant.slug, unit.role);
    await this.#change(unit, activate, work);
    work.signal.throwIfAborted();
    work.log(`Starting ${name}`);
    await this.#containers.start(name, name);
  }

  /** Brings a unit's containers to where an event of the life cycle leads, in an order that can be continued after each step. */
  async #change(
    unit: UnitRef,
    event: (slots: Slots<ContainerInspectInfo>) => Slots<ContainerInspectInfo>,
    work: Work,
  ): Promise<Record<'found' | 'target', Slots<ContainerInspectInfo>>> {
    const { slug } = unit.tenant;
    const { next: staged, live, previous } = await this.#find(unit);
    const found = { staged, live, kept: previous && isNothing(previous) ? ('none' as const) : previous };
    const target = event(found);
    const { kept } = target;
    const remaining = new Set([target.staged, target.live, kept]);
    for (const [container, slot] of [
      [staged, staged],
      [live, live],
      [previous, found.kept],
    ] as const) {
      work.signal.throwIfAborted();
      if (container && !remaining.has(slot)) await this.#containers.remove(container.Id);
    }
    if (kept === 'none' && found.kept !== 'none' && target.live) await this.#keepNothing(unit, target.live);
    else if (kept && kept !== 'none' && kept === live) {
      work.signal.throwIfAborted();
      work.log(`Stopping ${unitName(slug, unit.role)}`);
      await this.#containers.halt(live.Id);
      work.signal.throwIfAborted();
      await this.#containers.rename(live.Id, containerName(slug, unit.role, 'previous'));
    }
    if (target.live && target.live !== live) {
      work.signal.throwIfAborted();
      await this.#containers.rename(target.live.Id, unitName(slug, unit.role));
    }
    return { found, target };
  }

  async #startIfWanted(live: ContainerInspectInfo | undefined, { tenant, role }: UnitRef): Promise<void> {
    if (live && desiredState(live) === 'running') await this.#containers.start(live.Id, unitName(tenant.slug, role));
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
