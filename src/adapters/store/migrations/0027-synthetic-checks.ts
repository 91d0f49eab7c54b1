import { DataTypes, type ModelAttributes } from 'sequelize';
import { instant } from '../columns.ts';
import { buildTables, type Migration, required, tenantId, text } from './build.ts';

const tables: Record<string, ModelAttributes> = {
  /** The last run of each tenant's checks, and the release that it belongs to. */
  synthetic_check_runs: {
    tenant_id: { ...tenantId, primaryKey: true },
    release_key: required(DataTypes.STRING(255)),
    at: required(instant),
    status: required(DataTypes.STRING(20)),
    results: required(text),
  },
};

/** Adds the last runs of checks with a user's steps. */
export const syntheticChecks: Migration = {
  name: '0027-synthetic-checks',
  up: (schema) => buildTables(schema, tables, []),
};
