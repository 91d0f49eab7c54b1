import { DataTypes, type ModelAttributes } from 'sequelize';
import { idType, instant } from '../columns.ts';
import { buildTables, type Index, id, type Migration, required, short, text } from './build.ts';

const tables: Record<string, ModelAttributes> = {
  fleet_upgrades: {
    id,
    status: required(DataTypes.STRING(20)),
    options: required(text),
    ring: required(DataTypes.INTEGER),
    next_ring_at: instant,
    accepted_failures: required(DataTypes.INTEGER),
    reason: text,
    created_by: required(text),
    created_at: required(instant),
    started_at: instant,
    finished_at: instant,
  },
  /** Outlive their tenants: no reference, but id and slug. */
  fleet_members: {
    fleet_id: {
      type: idType,
      allowNull: false,
      primaryKey: true,
      references: { model: 'fleet_upgrades', key: 'id' },
      onDelete: 'CASCADE',
    },
    position: { type: DataTypes.INTEGER, allowNull: false, primaryKey: true },
    tenant_id: required(idType),
    slug: required(DataTypes.STRING(40)),
    ring: DataTypes.INTEGER,
    status: required(DataTypes.STRING(20)),
    reason: text,
    operation_id: idType,
    from_version: short,
    began_at: instant,
    ended_at: instant,
  },
};

const indexes: Index[] = [
  ['fleet_upgrades', ['created_at', 'id']],
  ['fleet_upgrades', ['status']],
  ['fleet_members', ['fleet_id', 'tenant_id'], 'unique'],
  ['fleet_members', ['tenant_id', 'status']],
  ['fleet_members', ['status']],
];

export const fleetUpgrades: Migration = {
  name: '0007-fleet-upgrades',
  up: (schema) => buildTables(schema, tables, indexes),
};
