import { pagingQuery } from '../../../lib/http/routing/paging.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { userResponse } from '../presentation.ts';
import { done, newUser, user, userChange, userList } from '../schema.ts';
import type { UserService } from './users.ts';

const common = { tag: 'Users', access: 'administer' } as const;

export function userRoutes(users: UserService): Route[] {
  return [
    defineRoute(
      {
        ...common,
        method: 'get',
        path: '/api/users',
        summary: 'List users',
        query: pagingQuery(),
        responses: { 200: { schema: userList } },
      },
      async ({ query }) => {
        const { items, total } = await users.list(query);
        return { users: items.map(userResponse), total, ...query };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'post',
        path: '/api/users',
        summary: 'Create a user',
        body: newUser,
        responses: { 201: { schema: user } },
        errors: ['username_taken'],
      },
      async ({ body, principal }) => userResponse(await users.create(body, principal)),
    ),
    defineRoute(
      {
        ...common,
        method: 'get',
        path: '/api/users/{id}',
        summary: 'Get a user',
        responses: { 200: { schema: user } },
        errors: ['not_found'],
      },
      async ({ params }) => userResponse(await users.get(params.id)),
    ),
    defineRoute(
      {
        ...common,
        method: 'put',
        path: '/api/users/{id}',
        summary: 'Update a user',
        description:
          'Changes of the role and of `disabled` take effect immediately. A new password ends all access tokens of the user.',
        body: userChange,
        responses: { 200: { schema: user } },
        errors: ['not_found', 'username_taken', 'invalid_state'],
      },
      async ({ params, body, principal }) => userResponse(await users.update(params.id, body, principal)),
    ),
    defineRoute(
      {
        ...common,
        method: 'delete',
        path: '/api/users/{id}',
        summary: 'Delete a user and its API tokens',
        responses: { 200: { schema: done } },
        errors: ['not_found', 'invalid_state'],
      },
      async ({ params, principal }) => {
        await users.remove(params.id, principal);
        return { message: 'User deleted' };
      },
    ),
  ];
}
