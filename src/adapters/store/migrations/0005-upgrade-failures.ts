import { DataTypes, type ModelAttributes } from 'sequelize';
import { instant } from '../columns.ts';
import { buildTables, type Migration, required, short, tenantId, text } from './build.ts';

const tables: Record<string, ModelAttributes> = {
  /** Versions to which a tenant could not be upgraded; a moved tag is another version. */
  upgrade_failures: {
    tenant_id: { ...tenantId, primaryKey: true },
    commit_id: { ...required(DataTypes.STRING(64)), primaryKey: true },
    version: short,
    failed_at: required(instant),
    reason: required(text),
  },
};

export const upgradeFailures: Migration = {
  name: '0005-upgrade-failures',
  up: (schema) => buildTables(schema, tables, []),
};
