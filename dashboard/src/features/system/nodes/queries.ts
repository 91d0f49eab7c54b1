import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import type { components } from '../../../api/schema.ts';

export type Node = components['schemas']['Node'];

export const nodesQuery = queryOptions({
  queryKey: ['system', 'nodes'],
  queryFn: () => dataOf(api.GET('/api/system/nodes')),
  // Moves of tenants are followed while a node is drained.
  refetchInterval: ({ state: { data } }) =>
    data?.nodes.some(isDraining) ? 2_000 : data?.nodes.length ? 15_000 : false,
});

export const isDraining = ({ availability, tenants }: Node): boolean => availability === 'drain' && tenants.length > 0;
