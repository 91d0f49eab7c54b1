import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';

export type OpenSession = components['schemas']['Session'];

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => dataOf(api.GET('/api/auth/sessions', { params: { query: { limit: 500 } } })),
});

export const refreshSessions = (): void => void queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
