import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';

/** Why a tenant is not well. Its key begins as that of its health: a new check asks again. */
export const diagnosisQuery = (id: string) =>
  queryOptions({
    queryKey: ['health', id, 'diagnosis'],
    refetchInterval: 30_000,
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/diagnosis', { params: { path: { id } } })),
  });
