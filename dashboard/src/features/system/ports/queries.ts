import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import type { components } from '../../../api/schema.ts';

export type Allocation = components['schemas']['PortAllocation'];

export const portsQuery = queryOptions({ queryKey: ['ports'], queryFn: () => dataOf(api.GET('/api/ports')) });

/** The pair that a new tenant would get: what else listens on this host is passed over. */
export const nextPairQuery = queryOptions({
  queryKey: ['ports', 'next'],
  queryFn: () => dataOf(api.GET('/api/ports/next-available')),
});
