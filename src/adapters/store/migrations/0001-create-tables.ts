import { DataTypes, type ModelAttributes } from 'sequelize';
import { idType, instant } from '../columns.ts';
import { buildTables, type Index, id, type Migration, required, short, tenantId, text } from './build.ts';

const userId = {
  type: idType,
  allowNull: false,
  references: { model: 'users', key: 'id' },
  onDelete: 'CASCADE',
} as const;

const tables: Record<string, ModelAttributes> = {
  users: {
    id,
    username: { ...required(short), unique: true },
    email: required(short),
    password_hash: required(short),
    role: required(DataTypes.STRING(20)),
    disabled: required(DataTypes.BOOLEAN),
    must_change_password: required(DataTypes.BOOLEAN),
    token_version: required(DataTypes.INTEGER),
    created_at: required(instant),
  },
  api_tokens: {
    id,
    user_id: userId,
    name: required(short),
    token_hash: { ...required(short), unique: true },
    created_at: required(instant),
    expires_at: instant,
    last_used_at: instant,
  },
  tenants: {
    id,
    name: required(short),
    slug: { ...required(DataTypes.STRING(40)), unique: true },
    status: required(DataTypes.STRING(20)),
    health_status: required(DataTypes.STRING(20)),
    health_details: text,
    git_repo: DataTypes.STRING(2048),
    /** The repository address with its credentials, encrypted; null if it has none. */
    git_repo_sealed: text,
    notes: text,
    directory: required(DataTypes.STRING(1024)),
    deployed_version: short,
    deployed_commit: DataTypes.STRING(64),
    /** What is live, for restarts and rollbacks: release, unit definitions, database. */
    deployed_release: text,
    created_at: required(instant),
    deployed_at: instant,
    /** Name, slug and host names in lower case, for the search: the databases' own lower case knows ASCII alone, or not at all. */
    search_text: required(text),
  },
  /** Both columns of host names in one, so that the database itself keeps them unique over all tenants. */
  tenant_domains: {
    domain: { type: DataTypes.STRING(253), primaryKey: true, allowNull: false },
    tenant_id: tenantId,
    role: required(DataTypes.STRING(20)),
  },
  /** One row per port, so that the database itself prevents two uses of a port, whatever its role. */
  port_allocations: {
    port: { type: DataTypes.INTEGER, primaryKey: true, allowNull: false },
    tenant_id: tenantId,
    role: required(DataTypes.STRING(20)),
    allocated_at: required(instant),
  },
  tenant_configs: {
    id,
    tenant_id: { ...tenantId, unique: true },
    fields: required(text),
    /** API key and SECRET_KEY of the tenant, encrypted. */
    secrets: required(text),
  },
  tenant_themes: {
    id,
    tenant_id: { ...tenantId, unique: true },
    fields: required(text),
    created_at: required(instant),
  },
  deployments: {
    id,
    tenant_id: tenantId,
    kind: required(DataTypes.STRING(20)),
    status: required(DataTypes.STRING(20)),
    phase: required(DataTypes.STRING(20)),
    outcome: DataTypes.STRING(20),
    input: required(text),
    state: required(text),
    steps: required(text),
    error: text,
    attempts: required(DataTypes.INTEGER),
    created_at: required(instant),
    started_at: instant,
    finished_at: instant,
  },
  settings: {
    key: { type: DataTypes.STRING(100), primaryKey: true, allowNull: false },
    value: required(text),
    updated_at: required(instant),
  },
  /** Journal entries outlive their tenant: no reference, but its id and slug. */
  log_entries: {
    /** The order of writing, also within the same millisecond. */
    seq: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true, allowNull: false },
    id: { ...required(idType), unique: true },
    tenant_id: idType,
    tenant_slug: DataTypes.STRING(40),
    level: required(DataTypes.STRING(20)),
    category: required(DataTypes.STRING(20)),
    message: required(text),
    details: required(text),
    created_at: required(instant),
  },
  /** Named locks, held by a transaction: only MySQL and MariaDB have rows here. */
  locks: {
    name: { type: DataTypes.STRING(100), primaryKey: true, allowNull: false },
  },
};

const indexes: Index[] = [
  ['api_tokens', ['user_id', 'created_at']],
  ['tenants', ['created_at', 'id']],
  ['tenants', ['status', 'created_at', 'id']],
  ['tenant_domains', ['tenant_id']],
  ['deployments', ['tenant_id', 'created_at']],
  ['deployments', ['status', 'created_at']],
  ['log_entries', ['created_at']],
  ['log_entries', ['tenant_id', 'seq']],
  ['log_entries', ['category', 'seq']],
  ['log_entries', ['category', 'level', 'seq']],
  ['log_entries', ['level', 'seq']],
  ['port_allocations', ['tenant_id', 'role'], 'unique'],
];

export const createTables: Migration = {
  name: '0001-create-tables',
  up: (schema) => buildTables(schema, tables, indexes),
};
