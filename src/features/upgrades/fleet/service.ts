import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import { newId } from '../../../lib/ids.ts';
import { selectTenants, type TenantSelection } from '../../tenants/tenants.ts';
import { type FleetPlanOptions, type FleetStatus, type FleetsDeps, fleetStatuses } from './fleet.ts';
import { deleted } from './outcome.ts';
import type { FleetEvents } from './rollout/fleet-events.ts';
import { type Assignment, type Candidate, planFleet } from './rollout/plan.ts';
import { resolveVersion } from './rollout/resolve-version.ts';
import type { FleetRunner } from './rollout/runner.ts';
import type { Fleet, FleetStore, Member, MemberCounts } from './store.ts';

/** A fleet upgrade with its tenants, in the order in which they are upgraded. */
export interface FleetWithMembers {
  fleet: Fleet;
  members: Member[];
}

/** Upgrades of many tenants, ring by ring. */
export function createFleetService(
  { rows, runner, fleetEvents }: { rows: FleetStore; runner: FleetRunner; fleetEvents: FleetEvents },
  deps: FleetsDeps,
) {
  const { clock, events } = deps;

  events.on('tenant_status', ({ tenant_id, status }) => {
    // If this fails, the deleted tenant is skipped when its upgrade should start.
    if (status === 'deleted') void leave(tenant_id).catch(() => undefined);
  });

  async function leave(tenantId: string): Promise<void> {
    const fleetId = await rows.waitsIn(tenantId);
    const fleet = fleetId === undefined ? undefined : await rows.find(fleetId);
    if (!fleet) return;
    await runner.changing(fleet.id, async () => {
      const changes = { status: 'skipped', reason: deleted, endedAt: clock.now() } as const;
      if (await rows.changeMember({ fleetId: fleet.id, tenantId }, ['waiting'], changes))
        fleetEvents.member(fleet, tenantId, changes);
    });
  }

  async function candidatesOf(
    choice: TenantSelection,
    options: FleetPlanOptions,
  ): Promise<Omit<Candidate, 'heldBy'>[]> {
    const chosen = await selectTenants(choice, deps.tenants);
    const deployed = chosen.filter((tenant) => tenant.deployed !== null);
    const offered = await resolveVersion(options.targetVersion, deployed, deps);
    const candidates: Omit<Candidate, 'heldBy'>[] = [];
    for (const { id, slug, deployed } of chosen) {
      const failures = deployed === null ? [] : await deps.upgrades.failuresOf(id);
      candidates.push({ tenantId: id, slug, deployed, offered: offered.get(id), failures });
    }
    return candidates;
  }

  async function get(id: string): Promise<FleetWithMembers> {
    const fleet = await rows.find(id);
    if (!fleet) throw notFound('fleet upgrade', id);
    return { fleet, members: await rows.members(id) };
  }

  /** A change by a user, allowed in the states `from`. */
  function change(
    id: string,
    actor: Actor,
    {
      what,
      from,
      to,
    }: { what: string; from: readonly FleetStatus[]; to: (before: FleetWithMembers) => Partial<Fleet> },
  ): Promise<FleetWithMembers> {
    return runner.changing(id, async () => {
      const before = await get(id);
      if (!(await rows.change(id, from, to(before)))) {
        const { status } = (await get(id)).fleet;
        throw new AppError('invalid_state', `The fleet upgrade is ${status}: it can’t be ${what}`);
      }
      const { fleet } = await get(id);
      await fleetEvents.requested(fleet, actor, what, { before: before.fleet.status });
      if (fleet.status === 'cancelled') await runner.skipWaiting(fleet);
      return get(id);
    });
  }

  return {
    /** @throws AppError validation_error, not_found if no repository has the version */
    async create(choice: TenantSelection, options: FleetPlanOptions, actor: Actor) {
      const candidates = await candidatesOf(choice, options);
      const made = await rows.create((held) => {
        const fleet = newFleet(options, actor, clock.now());
        const planned = planFleet(withHolders(candidates, held), options);
        const members = planned.map(({ candidate, assignment }) => newMember(candidate, assignment, fleet.createdAt));
        return { fleet, members };
      });
      const { fleet } = made;
      const count = made.members.filter(({ ring }) => ring !== null).length;
      const skipped = made.members.length - count;
      await fleetEvents.requested(fleet, actor, 'started', { ...options, tenants: count, skipped });
      runner.drive(fleet.id);
      return get(fleet.id);
    },

    /** The ring of each tenant, without changing anything. @throws like `create` */
    async plan(choice: TenantSelection, options: FleetPlanOptions) {
      const candidates = await candidatesOf(choice, options);
      return planFleet(withHolders(candidates, await rows.held()), options);
    },

    /** @throws AppError not_found */
    get,

    async list(
      filter: { status?: FleetStatus | undefined },
      paging: Paging,
    ): Promise<Page<{ fleet: Fleet; counts: MemberCounts }>> {
      const { items, total } = await rows.list(filter, paging);
      const counts = await rows.counts(items.map(({ id }) => id));
      return { items: items.map((fleet) => ({ fleet, counts: counts.get(fleet.id) ?? {} })), total };
    },

    /** Starts no more upgrades until it is resumed. @throws AppError not_found, invalid_state */
    pause: (id: string, actor: Actor) =>
      change(id, actor, { what: 'paused', from: ['pending', 'running'], to: () => ({ status: 'paused' }) }),

    /** Continues, even after a halt: the failures so far are accepted. @throws AppError not_found, invalid_state */
    resume: (id: string, actor: Actor) =>
      change(id, actor, {
        what: 'resumed',
        from: ['paused', 'halted'],
        to: ({ fleet, members }) => ({
          status: 'running',
          reason: null,
          startedAt: fleet.startedAt ?? clock.now(),
          // A user who resumes after a halt accepts the failures.
          ...(fleet.status === 'halted'
            ? { acceptedFailures: members.filter(({ status }) => status === 'failed').length }
            : {}),
        }),
      }),

    /** Starts no more upgrades. @throws AppError not_found, invalid_state */
    cancel: (id: string, actor: Actor) =>
      change(id, actor, {
        what: 'cancelled',
        from: ['pending', 'running', 'paused', 'halted'],
        to: () => ({ status: 'cancelled' }),
      }),

    /** Resumes unfinished fleet upgrades. Call after the operations were resumed. */
    async recover() {
      for (const id of await rows.unfinished()) runner.drive(id);
    },
    /** Starts no more upgrades; the operation engine stops the running ones. Call together with the engine's stop, not before it. */
    stop: () => runner.stop(),
    removeEndedBefore: (date: Date) => rows.removeEndedBefore(date),
    /** Which of these operations belong to fleet upgrades. */
    operationsAmong: (operationIds: readonly string[]) => rows.operationsAmong(operationIds),
    /** The tenants that a fleet upgrade upgraded or was to: those that were left out from the beginning have no ring. */
    tenantsOf: async (id: string): Promise<string[]> =>
      (await rows.members(id)).filter(({ ring }) => ring !== null).map(({ tenantId }) => tenantId),
    /** The number of fleet upgrades by status; every status is included. */
    async statuses(): Promise<[FleetStatus, number][]> {
      const counted = await rows.statuses();
      return fleetStatuses.map((status) => [status, counted.get(status) ?? 0]);
    },
  };
}

export type FleetService = ReturnType<typeof createFleetService>;

const withHolders = (
  candidates: readonly Omit<Candidate, 'heldBy'>[],
  held: ReadonlyMap<string, string>,
): Candidate[] => candidates.map((candidate) => ({ ...candidate, heldBy: held.get(candidate.tenantId) }));

function newFleet(options: FleetPlanOptions, { userId, username }: Actor, createdAt: Date): Fleet {
  return {
    id: newId(),
    status: 'pending',
    options,
    ring: 0,
    nextRingAt: null,
    acceptedFailures: 0,
    reason: null,
    createdBy: { userId, username },
    createdAt,
    startedAt: null,
    finishedAt: null,
  };
}

function newMember({ tenantId, slug, deployed }: Candidate, { ring, reason }: Assignment, now: Date): Member {
  return {
    tenantId,
    slug,
    ring,
    status: ring === null ? 'skipped' : 'waiting',
    reason,
    operationId: null,
    fromVersion: deployed?.version ?? null,
    beganAt: null,
    endedAt: ring === null ? now : null,
  };
}
