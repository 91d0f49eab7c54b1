import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';

const path = (id: string) => ({ params: { path: { id } } });

/** Services and their usage; polled while visible, as no event reports it. */
export const servicesQuery = (id: string) =>
  queryOptions({
    queryKey: ['tenant', id, 'services'],
    refetchInterval: 10_000,
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/services', path(id))),
  });

/** What a move would do now, and whether something of the tenant is at the origin. */
export const movePlanQuery = (id: string) =>
  queryOptions({
    queryKey: ['tenant', id, 'move'],
    queryFn: () => dataOf(api.POST('/api/tenants/{id}/move', { ...path(id), body: { dry_run: true } })),
    refetchOnWindowFocus: false,
  });

/** The plan in the response of a dry run. */
export const planIn = <T extends object>(answer: T | undefined): Extract<T, { problems: unknown }> | undefined =>
  answer && 'problems' in answer ? (answer as Extract<T, { problems: unknown }>) : undefined;

/** Under the health's query key, so that health events refresh it. */
export const healthHistoryQuery = (id: string) =>
  queryOptions({
    queryKey: ['health', id, 'history'],
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/health/history', path(id))),
  });

const changesShown = 5;

/** The health changes with their reasons, from the audit log. */
export const healthChangesQuery = (id: string) =>
  queryOptions({
    queryKey: ['health', id, 'changes'],
    queryFn: () =>
      dataOf(
        api.GET('/api/logs', {
          params: { query: { tenant_id: id, category: 'health_check', limit: changesShown } },
        }),
      ),
  });

/** Under the health's query key, so that health events refresh it; only changes of the result are events. */
export const syntheticChecksQuery = (id: string) =>
  queryOptions({
    queryKey: ['health', id, 'synthetic'],
    refetchInterval: 60_000,
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/synthetic-checks', path(id))),
  });

export const proxyQuery = (id: string) =>
  queryOptions({
    queryKey: ['tenant', id, 'proxy'],
    refetchInterval: 60_000,
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/proxy', path(id))),
  });
