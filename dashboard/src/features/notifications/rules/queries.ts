import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';

export type Rule = components['schemas']['NotificationRule'];
export type RuleChange = Required<components['schemas']['NotificationRuleChange']>;
export type QuietHours = components['schemas']['QuietHours'];
export type Severity = Rule['severity'];
export type AlertEvent = Rule['events'][number];

export const rulesQuery = queryOptions({
  queryKey: ['notifications', 'rules'],
  queryFn: async () => (await dataOf(api.GET('/api/notifications/rules'))).rules,
});

const refreshRules = (): Promise<void> => queryClient.invalidateQueries({ queryKey: rulesQuery.queryKey });

/** Creates a rule or replaces the one with this id. @throws ApiError */
export async function saveRule(id: string | undefined, body: RuleChange): Promise<void> {
  if (id === undefined) await dataOf(api.POST('/api/notifications/rules', { body }));
  else await dataOf(api.PUT('/api/notifications/rules/{id}', { params: { path: { id } }, body }));
  await refreshRules();
}

/** @throws ApiError */
export async function deleteRule(id: string): Promise<void> {
  await dataOf(api.DELETE('/api/notifications/rules/{id}', { params: { path: { id } } }));
  await refreshRules();
}

export type NotificationPreferences = components['schemas']['NotificationPreferences'];

/** What the signed-in user wants to receive. */
export const preferencesQuery = queryOptions({
  queryKey: ['notifications', 'preferences'],
  // A form that opens starts from what is stored now, without tenants that were deleted since.
  gcTime: 0,
  queryFn: () => dataOf(api.GET('/api/notifications/preferences')),
});

/** @throws ApiError */
export async function savePreferences(body: components['schemas']['NotificationPreferenceChanges']): Promise<void> {
  queryClient.setQueryData(
    preferencesQuery.queryKey,
    await dataOf(api.PUT('/api/notifications/preferences', { body })),
  );
}
