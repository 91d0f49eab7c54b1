import { MutationCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { api, dataOf, type Tenant } from './client.ts';
import type { components } from './schema.ts';

/** A 404 means that the object was deleted and the page is stale: refetches it and says so. */
const mutationCache = new MutationCache({
  onError(error) {
    if (error instanceof ApiError && error.status === 404) void queryClient.invalidateQueries({ type: 'active' });
  },
});

export const queryClient: QueryClient = new QueryClient({
  mutationCache,
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Retries only errors that may be temporary.
      retry: (failures, error) => failures < 3 && error instanceof ApiError && [0, 502, 503].includes(error.status),
    },
  },
});

const pageSize = 500;

/** Every tenant: lists are searched, filtered and sorted here, and kept up to date by the live events. */
export const tenantsQuery = queryOptions({
  queryKey: ['tenants'],
  async queryFn() {
    const tenants: Tenant[] = [];
    for (;;) {
      const query = { limit: pageSize, offset: tenants.length };
      const page = await dataOf(api.GET('/api/tenants', { params: { query } }));
      tenants.push(...page.tenants);
      if (page.tenants.length < pageSize || tenants.length >= page.total) return tenants;
    }
  },
});

/** How many running tenants are unhealthy, for pages that do not have the list. */
export const unhealthyQuery = queryOptions({
  queryKey: ['tenants', 'unhealthy'],
  refetchInterval: 15_000,
  staleTime: 2_000,
  async queryFn() {
    const query = { health_status: 'unhealthy' as const, status: 'running' as const, limit: 1 };
    return (await dataOf(api.GET('/api/tenants', { params: { query } }))).total;
  },
});

const path = (id: string) => ({ params: { path: { id } } });

export const tenantQuery = (id: string) =>
  queryOptions({ queryKey: ['tenant', id], queryFn: () => dataOf(api.GET('/api/tenants/{id}', path(id))) });

export const healthQuery = (id: string) =>
  queryOptions({ queryKey: ['health', id], queryFn: () => dataOf(api.GET('/api/tenants/{id}/health', path(id))) });

export const versionQuery = (id: string) =>
  queryOptions({
    queryKey: ['version', id],
    staleTime: 60_000,
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/version', path(id))),
  });

/** The newest operations of a tenant, of all kinds. */
export const deploymentsQuery = (id: string) =>
  queryOptions({
    queryKey: ['deployments', id],
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/deployments', { params: { path: { id }, query: { limit: 50 } } })),
  });

export const deploymentQuery = (id: string) =>
  queryOptions({
    queryKey: ['deployment', id],
    queryFn: () => dataOf(api.GET('/api/deployments/{deployment_id}', { params: { path: { deployment_id: id } } })),
  });

export type Attention = components['schemas']['Attention'];

/** What needs attention; the manager's events refresh it sooner. */
export const attentionQuery = queryOptions({
  queryKey: ['attention'],
  refetchInterval: 30_000,
  staleTime: 2_000,
  queryFn: () => dataOf(api.GET('/api/attention')),
});
