import type { Route } from '../../lib/http/routing/route.ts';
import { createAdministration, type TenantAdministration, type TenantAdministrationDeps } from './administration.ts';
import { tenantRoutes } from './routes.ts';
import { tagRoutes } from './tags/routes.ts';

export { maskCredentials, repositoryProblem } from '../../adapters/git/address-rule.ts';
export type { TenantAdministration } from './administration.ts';
export { createTenantRecords, maxPageAgeMs } from './records.ts';
export { createRepositoryCheck } from './repository/repository-check.ts';
export { createRepositorySecrets } from './repository/repository-secrets.ts';
export { hostName, hostNameProblem, tenantFilter, tenantIds } from './schema.ts';
export { searchTerm } from './search-text.ts';
export { selectTenants, type TenantSelection } from './select-tenants.ts';
export { createTenants, type Tenants } from './service.ts';
export { tagNames } from './tags/routes.ts';
export {
  deployedRelease,
  type HealthStatus,
  healthStatuses,
  type LiveRelease,
  portOf,
  spaceOf,
  type Tenant,
  type TenantHealth,
  type TenantStatus,
} from './tenant.ts';

/** What users do with tenants: they create, change and delete them. It is made last, as every other feature takes part. */
export function createTenantAdministration(deps: TenantAdministrationDeps): TenantAdministration & { routes: Route[] } {
  const administration = createAdministration(deps);
  return {
    ...administration,
    routes: [...tenantRoutes(administration, deps), ...tagRoutes(deps.records.tags, deps.writeAuditLog)],
  };
}
