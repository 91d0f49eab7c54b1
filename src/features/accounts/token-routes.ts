import { pagingQuery } from '../../platform/http/paging.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import type { ApiTokenService } from './api-tokens.ts';
import { tokenOnWire } from './presentation.ts';
import { apiTokenList, createdToken, done, newToken } from './schema.ts';

const common = { tag: 'Authentication', access: 'viewer' } as const;

export function tokenRoutes(tokens: ApiTokenService): Route[] {
  return [
    defineRoute(
      {
        ...common,
        method: 'get',
        path: '/api/auth/tokens',
        summary: 'List one’s own API tokens',
        query: pagingQuery(),
        response: { schema: apiTokenList },
      },
      async ({ principal, query }) => {
        const { items, total } = await tokens.list(principal.userId, query);
        return { tokens: items.map(tokenOnWire), total, ...query };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'post',
        path: '/api/auth/tokens',
        summary: 'Make an API token',
        description: 'For scripts: it has the role of its user, and ends when the user is disabled or deleted.',
        body: newToken,
        status: 201,
        response: { schema: createdToken },
      },
      async ({ principal, body }) => {
        const expiresAt = body.expires_at ? new Date(body.expires_at) : null;
        const created = await tokens.create(principal.userId, { name: body.name, expiresAt }, principal);
        return { ...tokenOnWire(created), token: created.secret };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'delete',
        path: '/api/auth/tokens/{id}',
        summary: 'Revoke one of one’s own API tokens',
        response: { schema: done },
        errors: ['not_found'],
      },
      async ({ principal, params }) => {
        await tokens.remove(principal.userId, params.id, principal);
        return { message: 'Token revoked' };
      },
    ),
  ];
}
