import { invalid } from '../../lib/errors.ts';
import type { Tenants } from './service.ts';
import type { HealthStatus, Tenant, TenantStatus } from './tenant.ts';

/** The tenants that a bulk action applies to. */
export type TenantSelection =
  | { tenantIds: readonly string[] }
  | {
      filter: {
        status?: TenantStatus | undefined;
        health_status?: HealthStatus | undefined;
        search?: string | undefined;
        tag?: string | undefined;
        version?: string | undefined;
      };
    };

const pageSize = 500;

/**
 * The selected tenants: those listed, in that order, or those that match the filter, ordered by slug.
 * @throws AppError validation_error if a listed tenant does not exist or no tenant matches the filter
 */
export async function selectTenants(
  selection: TenantSelection,
  tenants: Pick<Tenants, 'find' | 'list'>,
): Promise<Tenant[]> {
  if ('tenantIds' in selection) return findByIds(selection.tenantIds, tenants);
  const { version, health_status: health, ...filter } = selection.filter;
  const found = new Map<string, Tenant>();
  for (let offset = 0; ; offset += pageSize) {
    const { items } = await tenants.list({ ...filter, health }, { limit: pageSize, offset });
    for (const tenant of items)
      if (version === undefined || tenant.deployed?.version === version) found.set(tenant.id, tenant);
    if (items.length < pageSize) break;
  }
  if (found.size === 0) throw invalid('filter', 'matches no tenant');
  return [...found.values()].sort((one, other) => (one.slug < other.slug ? -1 : 1));
}

async function findByIds(ids: readonly string[], tenants: Pick<Tenants, 'find'>): Promise<Tenant[]> {
  const found: Tenant[] = [];
  for (const [index, id] of ids.entries()) {
    const tenant = await tenants.find(id);
    if (!tenant) throw invalid(`tenant_ids.${index}`, `no tenant has the id ${id}`);
    found.push(tenant);
  }
  return found;
}
