import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';

/** The newest entries of the audit log. */
export const activityQuery = queryOptions({
  queryKey: ['activity'],
  refetchInterval: 30_000,
  queryFn: async () => (await dataOf(api.GET('/api/logs', { params: { query: { limit: 8 } } }))).logs,
});
