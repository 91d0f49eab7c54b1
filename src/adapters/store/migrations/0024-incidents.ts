import { DataTypes, type ModelAttributes } from 'sequelize';
import { idType, instant } from '../columns.ts';
import { buildTables, type Index, id, type Migration, required, short, text } from './build.ts';

const incidentId = {
  type: idType,
  allowNull: false,
  references: { model: 'incidents', key: 'id' },
  onDelete: 'CASCADE',
} as const;
const word = DataTypes.STRING(40);

const tables: Record<string, ModelAttributes> = {
  incidents: {
    id,
    /** What incidents are grouped by; null once it is resolved, so that only one is open for a cause. */
    open_key: { type: short, allowNull: true },
    severity: required(word),
    title: required(text),
    detail: { type: text, allowNull: true },
    remedy: { type: text, allowNull: true },
    cause_code: required(short),
    scope_kind: required(word),
    scope_name: required(short),
    status: required(word),
    /** Whether the manager's own checks found it: none, failing, recovered. */
    found_by_manager: required(word),
    in_maintenance: required(DataTypes.BOOLEAN),
    opened_at: required(instant),
    acknowledged_by: { type: short, allowNull: true },
    acknowledged_at: instant,
    resolved_at: instant,
    /** How many announcements were made: of its opening, then of tenants that joined. */
    announced: required(DataTypes.INTEGER),
    reminders: required(DataTypes.INTEGER),
    notified_at: instant,
    /** Nothing is left to announce. */
    closed: required(DataTypes.BOOLEAN),
  },
  /** Outlive their tenants: no reference, but slug and name. */
  incident_tenants: {
    incident_id: { ...incidentId, primaryKey: true },
    tenant_id: { type: idType, allowNull: false, primaryKey: true },
    slug: required(word),
    name: required(short),
    joined_at: required(instant),
    left_at: instant,
    left_reason: word,
    /** The announcement that names it. */
    batch: DataTypes.INTEGER,
  },
  incident_entries: {
    seq: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true, allowNull: false },
    incident_id: incidentId,
    at: required(instant),
    kind: required(word),
    tenant_id: idType,
    username: short,
    text,
  },
  maintenance_windows: {
    id,
    /** null: all tenants, and the manager. */
    tenant_id: { type: idType, allowNull: true, references: { model: 'tenants', key: 'id' }, onDelete: 'CASCADE' },
    starts_at: required(instant),
    ends_at: required(instant),
    weekly: required(DataTypes.BOOLEAN),
    /** The zone whose clock a weekly window follows. */
    time_zone: required(DataTypes.STRING(64)),
    reason: required(text),
    created_by: required(short),
    created_at: required(instant),
  },
  /** How far sources of alerts have read. */
  alert_cursors: {
    name: { type: word, primaryKey: true, allowNull: false },
    position: required(text),
  },
  /** From where users have signed in. */
  sign_in_places: {
    user_id: {
      type: idType,
      primaryKey: true,
      allowNull: false,
      references: { model: 'users', key: 'id' },
      onDelete: 'CASCADE',
    },
    kind: { type: DataTypes.STRING(20), primaryKey: true, allowNull: false },
    place: { type: DataTypes.STRING(128), primaryKey: true, allowNull: false },
    seen_at: required(instant),
  },
};

const indexes: Index[] = [
  ['incidents', ['open_key'], 'unique'],
  ['incidents', ['closed', 'opened_at']],
  ['incidents', ['status', 'opened_at']],
  ['incident_tenants', ['tenant_id', 'left_at']],
  ['incident_entries', ['incident_id', 'seq']],
  ['deployments', ['finished_at']],
];

/** Adds incidents, maintenance windows, and what sources of alerts remember. */
export const incidents: Migration = {
  name: '0024-incidents',
  up: (schema) => buildTables(schema, tables, indexes),
};
