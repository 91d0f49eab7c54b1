import type { Address, Runtime } from '../../adapters/runtimes/runtime.ts';
import type { TenantPersonsCount, TenantStats } from '../../adapters/tenant-api/schema.ts';
import type { AuthorizedCall, TenantApi } from '../../adapters/tenant-api/tenant-api.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import { deployedRelease, spaceOf, type TenantService } from '../tenants/tenants.ts';
import { remoteRoutes } from './routes.ts';

export interface RemoteDeps {
  tenants: Pick<TenantService, 'get'>;
  runtime: Pick<Runtime, 'address'>;
  tenantApi: Pick<TenantApi, 'stats' | 'personsCount'>;
  /** The key the tenant's API takes; never to be logged. */
  apiKeyOf(tenantId: string): Promise<string>;
  /** How long a tenant may take to answer (default 15 s: it counts its tables). */
  timeoutMs?: number;
}

/** Questions the manager puts to a tenant's own API. */
export interface Remote {
  routes: Route[];
  /** @throws AppError not_found, not_deployed, tenant_unreachable, tenant_error */
  stats(tenantId: string): Promise<TenantStats>;
  /** @throws AppError not_found, not_deployed, tenant_unreachable, tenant_error */
  personsCount(tenantId: string): Promise<TenantPersonsCount>;
}

export function createRemote({ tenants, runtime, tenantApi, apiKeyOf, timeoutMs = 15_000 }: RemoteDeps): Remote {
  async function ask<T>(
    tenantId: string,
    question: (address: Address, call: AuthorizedCall) => Promise<T>,
  ): Promise<T> {
    const tenant = await tenants.get(tenantId);
    deployedRelease(tenant);
    const address = await runtime.address({ tenant: spaceOf(tenant), role: 'api' }, tenant.backendPort);
    return question(address, { apiKey: await apiKeyOf(tenantId), timeoutMs });
  }

  const questions = {
    stats: (tenantId: string) => ask(tenantId, (address, call) => tenantApi.stats(address, call)),
    personsCount: (tenantId: string) => ask(tenantId, (address, call) => tenantApi.personsCount(address, call)),
  };
  return { ...questions, routes: remoteRoutes(questions) };
}
