import { queryOptions } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';
import { keepChoice } from '../../../lib/language.ts';

export type Preferences = components['schemas']['Preferences'];

/** How the signed-in user likes the dashboard, the same in every browser. */
export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  staleTime: 60_000,
  queryFn: () => dataOf(api.GET('/api/auth/preferences')),
});

/** Changes some preferences; the others stay. @throws ApiError */
export async function savePreferences(changes: components['schemas']['PreferenceChanges']): Promise<Preferences> {
  const saved = await dataOf(api.PUT('/api/auth/preferences', { body: changes }));
  queryClient.setQueryData(preferencesQuery.queryKey, saved);
  return saved;
}

/** Applies them once, after the sign-in or when the page is loaded: later it would lose what is being typed. */
export function useAccountPreferences(): void {
  useEffect(() => {
    // Without an answer the page stays as it is.
    queryClient.ensureQueryData(preferencesQuery).then(applyPreferences, () => undefined);
  }, []);
}

/** Shows the page in the account's language and time zone: loads it again where they differ. @returns whether it does */
export function applyPreferences({ language, time_zone }: Preferences): boolean {
  const differs = keepChoice({ language, timeZone: time_zone });
  if (differs) location.reload();
  return differs;
}
