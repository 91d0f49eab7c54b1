import { createHealth, type HealthDeps } from '../../features/health/health.ts';
import type { Sites } from '../../features/sites/sites.ts';
import { createSyntheticChecks, type SyntheticChecksDeps } from '../../features/synthetic-checks/synthetic-checks.ts';

/** Health checks of tenants, which include the last run of their checks with a user's steps. */
export function composeHealth({
  store,
  clock,
  logger,
  events,
  writeAuditLog,
  settings,
  engine,
  tenants,
  runtime,
  tenantApi,
  databaseOf,
  configs,
  environmentOf,
  sites,
  dataDirectory,
}: Omit<HealthDeps & SyntheticChecksDeps, 'site' | 'userSteps'> & { sites: Sites }) {
  const common = { clock, logger, events, writeAuditLog, settings, engine, tenants, runtime, tenantApi, site: sites };
  const syntheticChecks = createSyntheticChecks({ ...common, store, configs, environmentOf });
  const health = createHealth({ ...common, databaseOf, userSteps: syntheticChecks, dataDirectory });
  return { health: { ...health, routes: [...health.routes, ...syntheticChecks.routes] }, syntheticChecks };
}
