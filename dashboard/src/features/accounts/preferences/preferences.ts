import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';

export type Preferences = components['schemas']['Preferences'];

/** How the signed-in user likes the dashboard, the same in every browser. */
export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  staleTime: 60_000,
  queryFn: () => dataOf(api.GET('/api/auth/preferences')),
});

/** Changes some preferences; the others stay. @throws ApiError */
export async function savePreferences(changes: components['schemas']['PreferenceChanges']): Promise<void> {
  queryClient.setQueryData(
    preferencesQuery.queryKey,
    await dataOf(api.PUT('/api/auth/preferences', { body: changes })),
  );
}
