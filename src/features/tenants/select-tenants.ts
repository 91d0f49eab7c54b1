import { invalid } from '../../lib/errors.ts';
import type { TenantService } from './service.ts';
import type { HealthStatus, Tenant, TenantStatus } from './tenant.ts';

/** Which tenants an action on many is for. */
export type TenantSelection =
  | { tenantIds: readonly string[] }
  | {
      filter: {
        status?: TenantStatus | undefined;
        health_status?: HealthStatus | undefined;
        search?: string | undefined;
        version?: string | undefined;
      };
    };

const pageSize = 500;

/**
 * The tenants chosen: those named, in that order, or those that match the filter, by slug.
 * @throws AppError validation_error if a named tenant does not exist or no tenant matches the filter
 */
export async function selectTenants(
  choice: TenantSelection,
  tenants: Pick<TenantService, 'find' | 'list'>,
): Promise<Tenant[]> {
  if ('tenantIds' in choice) return named(choice.tenantIds, tenants);
  const { version, health_status: health, ...filter } = choice.filter;
  const found = new Map<string, Tenant>();
  for (let offset = 0; ; offset += pageSize) {
    const { items } = await tenants.list({ ...filter, health }, { limit: pageSize, offset });
    for (const tenant of items)
      if (version === undefined || tenant.deployed?.version === version) found.set(tenant.id, tenant);
    if (items.length < pageSize) break;
  }
  if (found.size === 0) throw invalid('filter', 'finds no tenant');
  return [...found.values()].sort((one, other) => (one.slug < other.slug ? -1 : 1));
}

async function named(ids: readonly string[], tenants: Pick<TenantService, 'find'>): Promise<Tenant[]> {
  const found: Tenant[] = [];
  for (const [at, id] of ids.entries()) {
    const tenant = await tenants.find(id);
    if (!tenant) throw invalid(`tenant_ids.${at}`, `there is no tenant with id ${id}`);
    found.push(tenant);
  }
  return found;
}
