import { buildTables, type Migration } from './build.ts';

/** Adds an index to find the last operation of a kind of each tenant. */
export const deploymentsByKind: Migration = {
  name: '0021-deployments-by-kind',
  up: (schema) => buildTables(schema, {}, [['deployments', ['kind', 'tenant_id', 'created_at']]]),
};
