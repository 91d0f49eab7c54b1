import { Op } from 'sequelize';
import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import type { Store, Transaction } from '../../../adapters/store/store.ts';
import {
  defineTable,
  id,
  instant,
  integer,
  json,
  key,
  orNull,
  ownedBy,
  type RowOf,
  tableIn,
  text,
} from '../../../adapters/store/table.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import { slugLength } from '../../../lib/text/slug.ts';
import type { FleetPlanOptions, FleetStatus, MemberStatus } from './fleet.ts';

const fleetColumns = {
  id: key(id),
  status: text<FleetStatus>(20),
  options: json<FleetPlanOptions>(),
  /** The current ring, from 0. */
  ring: integer,
  /** When the next ring starts if the current one is healthy; null until the current ring has ended. */
  nextRingAt: orNull(instant),
  /** Failures that a user accepted by resuming. */
  acceptedFailures: integer,
  /** Why it was halted. */
  reason: orNull(text()),
  createdBy: json<Actor>(),
  createdAt: instant,
  startedAt: orNull(instant),
  finishedAt: orNull(instant),
};
export const fleetUpgradesTable = defineTable('fleet_upgrades', fleetColumns, {
  indexes: [['createdAt', 'id'], ['status']],
});
/** One upgrade of many tenants to a version, ring by ring. */
export type Fleet = RowOf<typeof fleetColumns>;

const memberColumns = {
  fleetId: key(ownedBy('fleet_upgrades')),
  /** The order in which they are upgraded. */
  position: key(integer),
  tenantId: id,
  /** Identifies the tenant after it was deleted. */
  slug: text(slugLength.max),
  /** From 0; null: skipped from the start. */
  ring: orNull(integer),
  status: text<MemberStatus>(20),
  /** Why it was skipped, failed, or can't start yet. */
  reason: orNull(text()),
  /** The upgrade's id (a deployment of kind `upgrade`), saved before the upgrade starts. */
  operationId: orNull(id),
  /** The deployed version when the fleet upgrade was created. */
  fromVersion: orNull(text(255)),
  beganAt: orNull(instant),
  endedAt: orNull(instant),
};
export const fleetMembersTable = defineTable('fleet_members', memberColumns, {
  indexes: [['tenantId', 'status'], ['status']],
  unique: [['fleetId', 'tenantId']],
});
/** A tenant in a fleet upgrade. */
export type Member = Omit<RowOf<typeof memberColumns>, 'fleetId' | 'position'>;

/** How many tenants of a fleet upgrade are in each status. */
export type MemberCounts = Partial<Record<MemberStatus, number>>;

export type FleetStore = ReturnType<typeof createFleetStore>;

/** Fleet upgrades and their tenants in the store. */
export function createFleetStore(store: Store) {
  const fleets = tableIn(store, fleetUpgradesTable);
  const members = tableIn(store, fleetMembersTable);

  async function heldTenants(transaction?: Transaction): Promise<Map<string, string>> {
    const rows = await members.all({
      where: { status: ['waiting', 'upgrading'] },
      only: ['tenantId', 'fleetId'],
      transaction,
    });
    return new Map(rows.map(({ tenantId, fleetId }) => [tenantId, fleetId]));
  }

  return {
    /**
     * Creates the fleet upgrade that `plan` returns. `plan` gets the tenants of unfinished fleet upgrades (tenant → fleet
     * upgrade) under a lock, so that no tenant is in two at the same time.
     */
    create(plan: (held: ReadonlyMap<string, string>) => { fleet: Fleet; members: readonly Member[] }) {
      return store.transaction(async (transaction) => {
        await store.lock('fleet-upgrades', transaction);
        const planned = plan(await heldTenants(transaction));
        const fleetId = planned.fleet.id;
        await fleets.insert(planned.fleet, transaction);
        const rows = planned.members.map((member, position) => ({ ...member, fleetId, position }));
        await members.insertAll(rows, transaction);
        return planned;
      });
    },

    /** The tenants of unfinished fleet upgrades (tenant → fleet upgrade). */
    held: () => heldTenants(),

    find: (id: string): Promise<Fleet | undefined> => fleets.find({ id }),

    list: (filter: { status?: FleetStatus | undefined }, paging: Paging): Promise<Page<Fleet>> =>
      fleets.page(filter.status === undefined ? {} : { status: filter.status }, paging),

    /** In the order in which they are upgraded. */
    async members(fleetId: string): Promise<Member[]> {
      const rows = await members.all({ where: { fleetId }, order: [['position', 'ASC']] });
      return rows.map(({ fleetId: _fleet, position: _position, ...member }) => member);
    },

    async counts(fleetIds: readonly string[]): Promise<Map<string, MemberCounts>> {
      const found = new Map<string, MemberCounts>();
      if (fleetIds.length === 0) return found;
      for (const { fleetId, status, count } of await members.countBy(['fleetId', 'status'], { fleetId: [...fleetIds] }))
        found.set(fleetId, { ...found.get(fleetId), [status]: count });
      return found;
    },

    /** Fleet upgrades that have not finished, including cancelled ones with a running upgrade. */
    async unfinished(): Promise<string[]> {
      const rows = await fleets.all({ where: { finishedAt: null }, only: ['id'], order: [['createdAt', 'ASC']] });
      return rows.map(({ id }) => id);
    },

    /** @returns false if it was in none of the states `from` */
    change: async (id: string, from: readonly FleetStatus[], changes: Partial<Fleet>): Promise<boolean> =>
      (await fleets.update(changes, { id, status: [...from] })) > 0,

    /** @returns false if it was in none of the states `from` */
    changeMember: async (
      { fleetId, tenantId }: { fleetId: string; tenantId: string },
      from: readonly MemberStatus[],
      changes: Partial<Member>,
    ): Promise<boolean> => (await members.update(changes, { fleetId, tenantId, status: [...from] })) > 0,

    /** The fleet upgrade in which a tenant waits. */
    waitsIn: async (tenantId: string): Promise<string | undefined> =>
      (await members.find({ tenantId, status: 'waiting' }))?.fleetId,

    /** Skips the waiting members. @returns their tenants */
    async skipWaiting(fleetId: string, reason: string, endedAt: Date): Promise<string[]> {
      const where = { fleetId, status: 'waiting' as const };
      const waiting = await members.all({ where, only: ['tenantId'] });
      await members.update({ status: 'skipped', reason, endedAt }, where);
      return waiting.map(({ tenantId }) => tenantId);
    },

    /** The number of fleet upgrades by status. */
    statuses: async (): Promise<Map<FleetStatus, number>> =>
      new Map((await fleets.countBy(['status'])).map(({ status, count }) => [status, count])),

    /** Which of these operations belong to fleet upgrades. */
    async operationsAmong(operationIds: readonly string[]): Promise<ReadonlySet<string>> {
      const rows = await members.all({ where: { operationId: [...operationIds] }, only: ['operationId'] });
      return new Set(rows.flatMap(({ operationId }) => operationId ?? []));
    },

    async removeEndedBefore(date: Date): Promise<void> {
      await fleets.remove({ finishedAt: { [Op.lt]: date } });
    },
  };
}
