import { DataTypes, type ModelAttributes } from 'sequelize';
import { idType, instant } from '../columns.ts';
import { buildTables, type Index, id, type Migration, required, short, text } from './build.ts';

const tables: Record<string, ModelAttributes> = {
  /** One action on many tenants; its record is the engine's journal of the work. */
  bulk_operations: {
    id,
    unfinished: required(DataTypes.BOOLEAN),
    record: required(text),
    cancel_requested_at: instant,
    created_at: required(instant),
  },
  /** Outlive their tenants: no reference, but id, slug and name. */
  bulk_results: {
    bulk_id: {
      type: idType,
      allowNull: false,
      primaryKey: true,
      references: { model: 'bulk_operations', key: 'id' },
      onDelete: 'CASCADE',
    },
    position: { type: DataTypes.INTEGER, allowNull: false, primaryKey: true },
    tenant_id: required(idType),
    slug: required(DataTypes.STRING(40)),
    name: required(short),
    status: required(DataTypes.STRING(20)),
    error_code: DataTypes.STRING(40),
    error_detail: text,
    started_at: instant,
    finished_at: instant,
  },
};

const indexes: Index[] = [
  ['bulk_operations', ['created_at', 'id']],
  ['bulk_operations', ['unfinished', 'created_at']],
  ['bulk_results', ['bulk_id', 'tenant_id'], 'unique'],
];

export const bulkOperations: Migration = {
  name: '0015-bulk-operations',
  up: (schema) => buildTables(schema, tables, indexes),
};
