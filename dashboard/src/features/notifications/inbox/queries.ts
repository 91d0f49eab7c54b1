import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';

export type InboxEntry = components['schemas']['InboxEntry'];

/** The newest entries of the signed-in user, and how many are unread; the event `inbox` refreshes it. */
export const inboxQuery = (limit: number, unreadOnly = false) =>
  queryOptions({
    queryKey: ['inbox', limit, unreadOnly],
    placeholderData: keepPreviousData,
    queryFn: () =>
      dataOf(api.GET('/api/inbox', { params: { query: { limit, unread: unreadOnly ? 'true' : 'false' } } })),
  });

/** Marks entries as read, or all. @throws ApiError */
export async function markRead(body: components['schemas']['InboxRead']): Promise<void> {
  await dataOf(api.POST('/api/inbox/read', { body }));
  await queryClient.invalidateQueries({ queryKey: ['inbox'] });
}
