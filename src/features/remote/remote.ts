import type { Address, Runtime } from '../../adapters/runtimes/runtime.ts';
import type { TenantPersonsCount, TenantStats } from '../../adapters/tenant-api/schema.ts';
import type { AuthorizedCall, TenantApi } from '../../adapters/tenant-api/tenant-api.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import { deployedRelease, spaceOf, type Tenants } from '../tenants/tenants.ts';
import { remoteRoutes } from './routes.ts';

export interface RemoteDeps {
  tenants: Pick<Tenants, 'get'>;
  runtime: Pick<Runtime, 'address'>;
  tenantApi: Pick<TenantApi, 'stats' | 'personsCount'>;
  /** The API key of the tenant. Never log it. */
  apiKeyOf(tenantId: string): Promise<string>;
  /** Response timeout (default 15 s: the tenant counts its tables). */
  timeoutMs?: number;
}

/** Reads figures from a tenant's own API. */
export interface Remote {
  routes: Route[];
  /** @throws AppError not_found, not_deployed, tenant_unreachable, tenant_error */
  stats(tenantId: string): Promise<TenantStats>;
  /** @throws AppError not_found, not_deployed, tenant_unreachable, tenant_error */
  personsCount(tenantId: string): Promise<TenantPersonsCount>;
}

export function createRemote({ tenants, runtime, tenantApi, apiKeyOf, timeoutMs = 15_000 }: RemoteDeps): Remote {
  async function callTenant<T>(
    tenantId: string,
    request: (address: Address, call: AuthorizedCall) => Promise<T>,
  ): Promise<T> {
    const tenant = await tenants.get(tenantId);
    deployedRelease(tenant);
    const address = await runtime.address({ tenant: spaceOf(tenant), role: 'api' }, tenant.backendPort);
    return request(address, { apiKey: await apiKeyOf(tenantId), timeoutMs });
  }

  const queries = {
    stats: (tenantId: string) => callTenant(tenantId, (address, call) => tenantApi.stats(address, call)),
    personsCount: (tenantId: string) => callTenant(tenantId, (address, call) => tenantApi.personsCount(address, call)),
  };
  return { ...queries, routes: remoteRoutes(queries) };
}
