import { col, DataTypes, fn, type Model, Op } from 'sequelize';
import { fromRawInstantOrNull, idType, instant, jsonColumn, type RawInstant } from '../../../adapters/store/columns.ts';
import type { Store, Transaction } from '../../../adapters/store/store.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import { slugLength } from '../../../lib/slug.ts';
import type { Fleet, FleetStatus, Member, MemberStatus } from './fleet.ts';

type MemberRow = Member & { fleetId: string; position: number };
type RawMember = Omit<Member, 'beganAt' | 'endedAt'> & { beganAt: RawInstant | null; endedAt: RawInstant | null };

const memberColumns = `tenant_id AS tenantId, slug, ring, status, reason, operation_id AS operationId,
  from_version AS fromVersion, began_at AS beganAt, ended_at AS endedAt`;

/** How many tenants of a fleet upgrade are in each status. */
export type MemberCounts = Partial<Record<MemberStatus, number>>;

/** Rows written in one statement. */
const batchSize = 500;

export type FleetStore = ReturnType<typeof createFleetStore>;

/** Fleet upgrades and their tenants in the store. */
export function createFleetStore({ sequelize, lock, select, transaction }: Store) {
  const Fleets = sequelize.define<Model<Fleet, Fleet>>(
    'FleetUpgrade',
    {
      id: { type: idType, primaryKey: true },
      status: DataTypes.STRING(20),
      options: jsonColumn('options'),
      ring: DataTypes.INTEGER,
      nextRingAt: instant,
      acceptedFailures: DataTypes.INTEGER,
      reason: DataTypes.TEXT,
      createdBy: jsonColumn('createdBy'),
      createdAt: instant,
      startedAt: instant,
      finishedAt: instant,
    },
    { tableName: 'fleet_upgrades' },
  );
  const Members = sequelize.define<Model<MemberRow, MemberRow>>(
    'FleetMember',
    {
      fleetId: { type: idType, primaryKey: true },
      position: { type: DataTypes.INTEGER, primaryKey: true },
      tenantId: idType,
      slug: DataTypes.STRING(slugLength.max),
      ring: DataTypes.INTEGER,
      status: DataTypes.STRING(20),
      reason: DataTypes.TEXT,
      operationId: idType,
      fromVersion: DataTypes.STRING(255),
      beganAt: instant,
      endedAt: instant,
    },
    { tableName: 'fleet_members' },
  );
  const newestFirst: [string, string][] = [
    ['createdAt', 'DESC'],
    ['id', 'DESC'],
  ];

  async function heldTenants(within?: Transaction): Promise<Map<string, string>> {
    const rows = await Members.findAll({
      where: { status: ['waiting', 'upgrading'] },
      attributes: ['tenantId', 'fleetId'],
      ...(within ? { transaction: within } : {}),
    });
    return new Map(rows.map((row) => [row.get('tenantId') as string, row.get('fleetId') as string]));
  }

  return {
    /**
     * Creates the fleet upgrade that `plan` returns. `plan` gets the tenants of unfinished fleet upgrades (tenant → fleet
     * upgrade) under a lock, so that no tenant is in two at the same time.
     */
    create(plan: (held: ReadonlyMap<string, string>) => { fleet: Fleet; members: readonly Member[] }) {
      return transaction(async (within) => {
        await lock('fleet-upgrades', within);
        const planned = plan(await heldTenants(within));
        const fleetId = planned.fleet.id;
        await Fleets.create(planned.fleet, { transaction: within });
        const rows = planned.members.map((member, position) => ({ ...member, fleetId, position }));
        for (let start = 0; start < rows.length; start += batchSize)
          await Members.bulkCreate(rows.slice(start, start + batchSize), { transaction: within });
        return planned;
      });
    },

    /** The tenants of unfinished fleet upgrades (tenant → fleet upgrade). */
    held: () => heldTenants(),

    async find(id: string): Promise<Fleet | undefined> {
      return (await Fleets.findByPk(id))?.get();
    },

    async list(filter: { status?: FleetStatus | undefined }, { limit, offset }: Paging): Promise<Page<Fleet>> {
      const where = filter.status === undefined ? {} : { status: filter.status };
      const { rows, count } = await Fleets.findAndCountAll({ where, order: newestFirst, limit, offset });
      return { items: rows.map((row) => row.get()), total: count };
    },

    /** In the order in which they are upgraded. Plain SQL for speed: the runner reads all members for each upgraded one. */
    async members(fleetId: string): Promise<Member[]> {
      const rows = await select<RawMember>(
        `SELECT ${memberColumns} FROM fleet_members WHERE fleet_id = :fleetId ORDER BY position`,
        { fleetId },
      );
      return rows.map((row) => ({
        ...row,
        beganAt: fromRawInstantOrNull(row.beganAt),
        endedAt: fromRawInstantOrNull(row.endedAt),
      }));
    },

    async counts(fleetIds: readonly string[]): Promise<Map<string, MemberCounts>> {
      const found = new Map<string, MemberCounts>();
      if (fleetIds.length === 0) return found;
      const rows = await Members.findAll({
        where: { fleetId: [...fleetIds] },
        attributes: ['fleetId', 'status', [fn('count', col('position')), 'count']],
        group: ['fleet_id', 'status'],
      });
      for (const row of rows) {
        const id = row.get('fleetId') as string;
        found.set(id, {
          ...found.get(id),
          [row.get('status') as MemberStatus]: Number((row as Model).get('count')),
        });
      }
      return found;
    },

    /** Fleet upgrades that have not finished, including cancelled ones with a running upgrade. */
    async unfinished(): Promise<string[]> {
      const rows = await Fleets.findAll({
        where: { finishedAt: null },
        attributes: ['id'],
        order: [['createdAt', 'ASC']],
      });
      return rows.map((row) => row.get('id') as string);
    },

    /** @returns false if it was in none of the states `from` */
    async change(id: string, from: readonly FleetStatus[], changes: Partial<Fleet>): Promise<boolean> {
      const [changed] = await Fleets.update(changes, { where: { id, status: [...from] } });
      return changed > 0;
    },

    /** @returns false if it was in none of the states `from` */
    async changeMember(
      { fleetId, tenantId }: { fleetId: string; tenantId: string },
      from: readonly MemberStatus[],
      changes: Partial<Member>,
    ): Promise<boolean> {
      const [changed] = await Members.update(changes, { where: { fleetId, tenantId, status: [...from] } });
      return changed > 0;
    },

    /** The fleet upgrade in which a tenant waits. */
    async waitsIn(tenantId: string): Promise<string | undefined> {
      const row = await Members.findOne({ where: { tenantId, status: 'waiting' }, attributes: ['fleetId'] });
      return row?.get('fleetId') as string | undefined;
    },

    /** Skips the waiting members. @returns their tenants */
    async skipWaiting(fleetId: string, reason: string, endedAt: Date): Promise<string[]> {
      const waiting = await Members.findAll({ where: { fleetId, status: 'waiting' }, attributes: ['tenantId'] });
      await Members.update({ status: 'skipped', reason, endedAt }, { where: { fleetId, status: 'waiting' } });
      return waiting.map((row) => row.get('tenantId') as string);
    },

    /** The number of fleet upgrades by status. */
    async statuses(): Promise<Map<FleetStatus, number>> {
      const rows = await Fleets.findAll({
        attributes: ['status', [fn('count', col('id')), 'count']],
        group: ['status'],
      });
      return new Map(rows.map((row) => [row.get('status') as FleetStatus, Number((row as Model).get('count'))]));
    },

    async removeEndedBefore(date: Date): Promise<void> {
      await Fleets.destroy({ where: { finishedAt: { [Op.lt]: date } } });
    },
  };
}
