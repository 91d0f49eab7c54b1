import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';

export type MaintenanceWindow = components['schemas']['MaintenanceWindow'];

export const maintenanceQuery = queryOptions({
  queryKey: ['maintenance-windows'],
  queryFn: () => dataOf(api.GET('/api/maintenance-windows', { params: { query: { limit: 500 } } })),
});

export const refreshMaintenance = (): void =>
  void queryClient.invalidateQueries({ queryKey: maintenanceQuery.queryKey });
