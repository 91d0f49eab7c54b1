import { createHealth, type HealthDeps } from '../../../features/health/health.ts';
import type { Sites } from '../../../features/sites/sites.ts';
import {
  createSyntheticChecks,
  type SyntheticChecksDeps,
} from '../../../features/synthetic-checks/synthetic-checks.ts';

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
  const syntheticChecks = createSyntheticChecks({
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
    configs,
    environmentOf,
    site: sites,
  });
  const health = createHealth({
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
    site: sites,
    userSteps: syntheticChecks,
    dataDirectory,
  });
  return { health: { ...health, routes: [...health.routes, ...syntheticChecks.routes] }, syntheticChecks };
}
