import { DataTypes, type ModelAttributes } from 'sequelize';
import { instant } from '../columns.ts';
import { buildTables, type Index, id, type Migration, required, short, tenantId, text } from './build.ts';

const tables: Record<string, ModelAttributes> = {
  /** The catalogue: a row exists before its file is started, and says whether the file is complete. */
  backups: {
    id,
    tenant_id: tenantId,
    kind: required(DataTypes.STRING(20)),
    status: required(DataTypes.STRING(20)),
    version: short,
    commit_id: required(DataTypes.STRING(64)),
    engine: DataTypes.STRING(20),
    file: required(DataTypes.STRING(512)),
    size_bytes: DataTypes.BIGINT,
    sha256: DataTypes.STRING(64),
    row_counts: text,
    duration_ms: DataTypes.INTEGER,
    created_by: required(short),
    created_at: required(instant),
    verified_at: instant,
    drill: text,
    error: text,
  },
  /** When a tenant is backed up and how many backups are kept; null follows the settings. */
  backup_schedules: {
    tenant_id: { ...tenantId, primaryKey: true },
    cron: short,
    keep: text,
    /** From when on a run is due: the last one, or when the schedule was set. */
    counted_from: required(instant),
    updated_at: instant,
  },
};

const indexes: Index[] = [
  ['backups', ['tenant_id', 'created_at']],
  ['backups', ['tenant_id', 'kind', 'created_at']],
  ['backups', ['status']],
];

export const backups: Migration = {
  name: '0004-backups',
  up: (schema) => buildTables(schema, tables, indexes),
};
