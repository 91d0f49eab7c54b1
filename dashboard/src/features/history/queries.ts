import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';

export type MetricHistory = components['schemas']['MetricHistory'];
export type AvailabilityReport = components['schemas']['AvailabilityReport'];

export const ranges = ['1h', '24h', '7d', '30d', '1y'] as const;
export type Range = (typeof ranges)[number];

/** Measurements arrive once a minute. */
const everyMinute = { refetchInterval: 60_000, staleTime: 30_000 } as const;

/** Whose measurements: a tenant's, a node's or the manager's. */
export interface Source {
  kind: 'tenant' | 'node' | 'manager';
  id: string;
}

export const metricsQuery = ({ kind, id }: Source, range: Range) =>
  queryOptions({
    ...everyMinute,
    queryKey: [kind, id, 'metrics', range],
    queryFn: (): Promise<MetricHistory> => {
      const params = { path: { id }, query: { range } };
      if (kind === 'tenant') return dataOf(api.GET('/api/tenants/{id}/metrics', { params }));
      if (kind === 'node') return dataOf(api.GET('/api/system/nodes/{id}/metrics', { params }));
      return dataOf(api.GET('/api/system/metrics', { params: { query: { range } } }));
    },
  });

/** A tenant's deployments and upgrades, which its charts mark. */
export const versionChangesQuery = (id: string) =>
  queryOptions({
    queryKey: ['deployments', id, 'changes'],
    queryFn: () =>
      dataOf(
        api.GET('/api/tenants/{id}/deployments', {
          params: { path: { id }, query: { kinds: 'deploy,upgrade', limit: 500 } },
        }),
      ),
  });

export const availabilityQuery = (id: string) =>
  queryOptions({
    ...everyMinute,
    queryKey: ['tenant', id, 'availability'],
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/availability', { params: { path: { id } } })),
  });

export const fleetAvailabilityQuery = queryOptions({
  ...everyMinute,
  queryKey: ['availability'],
  queryFn: () => dataOf(api.GET('/api/availability', { params: { query: {} } })),
});

export const reportQuery = (month: string) =>
  queryOptions({
    ...everyMinute,
    queryKey: ['availability', month],
    queryFn: () => dataOf(api.GET('/api/reports/availability', { params: { query: { month } } })),
  });
