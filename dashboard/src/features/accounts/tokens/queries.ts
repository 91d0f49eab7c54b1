import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';

export type ApiToken = components['schemas']['ApiToken'];
export type CreatedToken = components['schemas']['CreatedApiToken'];

/** The maximum that one request returns; no user has more. */
const most = 500;

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: () => dataOf(api.GET('/api/auth/tokens', { params: { query: { limit: most } } })),
});

/** The tokens of another user, for administrators. */
export const userTokensQuery = (id: string) =>
  queryOptions({
    queryKey: [...tokensQuery.queryKey, id],
    queryFn: () => dataOf(api.GET('/api/users/{id}/tokens', { params: { path: { id }, query: { limit: most } } })),
  });

export const refreshTokens = (): void => void queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey });
