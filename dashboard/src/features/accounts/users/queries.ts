import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';

export type User = components['schemas']['User'];

/** Maximum of one response; a team has fewer. */
const most = 500;

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: () => dataOf(api.GET('/api/users', { params: { query: { limit: most } } })),
});

export const refreshUsers = (): void => void queryClient.invalidateQueries({ queryKey: usersQuery.queryKey });

/** The editable fields of a user; absent ones are unchanged. */
interface UserChange {
  username?: string;
  email?: string;
  role?: User['role'];
  disabled?: boolean;
  password?: string;
  must_change_password?: boolean;
}

/** @throws ApiError */
export async function changeUser(id: string, body: UserChange): Promise<User> {
  const changed = await dataOf(api.PUT('/api/users/{id}', { params: { path: { id } }, body }));
  refreshUsers();
  return changed;
}
