import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';

export type SystemOverview = components['schemas']['SystemOverview'];
export type SystemDisk = components['schemas']['SystemDisk'];

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: () => dataOf(api.GET('/api/system')),
  refetchInterval: 15_000,
});

export const diskQuery = queryOptions({
  queryKey: ['system', 'disk'],
  queryFn: () => dataOf(api.GET('/api/system/disk')),
  staleTime: 60_000,
  refetchInterval: 60_000,
});
