import { pagingQuery } from '../../../lib/http/routing/paging.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { assertSession } from '../context.ts';
import { tokenResponse } from '../presentation.ts';
import { apiTokenList, createdToken, done, newToken, ownApiTokenList } from '../schema.ts';
import { type ApiTokenService, maxTokensPerUser } from './api-tokens.ts';

export function tokenRoutes(tokens: ApiTokenService): Route[] {
  return [...ownTokenRoutes(tokens), ...userTokenRoutes(tokens)];
}

function ownTokenRoutes(tokens: ApiTokenService): Route[] {
  const common = { tag: 'Authentication', access: 'view' } as const;
  return [
    defineRoute(
      {
        ...common,
        method: 'get',
        path: '/api/auth/tokens',
        summary: 'List your own API tokens',
        query: pagingQuery(),
        responses: { 200: { schema: ownApiTokenList } },
      },
      async ({ principal, query }) => {
        const { items, total } = await tokens.list(principal.userId, query);
        return { tokens: items.map(tokenResponse), total, ...query, max_days: await tokens.maxDays() };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'post',
        path: '/api/auth/tokens',
        summary: 'Create an API token',
        description:
          'For scripts. The role is set at creation and never exceeds the current role of the user. The token ends at `expires_at`, when ' +
          'it is revoked, when its user is disabled or deleted, when an administrator sets a new password, and when the ' +
          'user changes the password without `keep_api_tokens`. An API token can’t create other tokens (403). ' +
          `A user may have at most ${maxTokensPerUser} tokens, including expired ones (409 \`invalid_state\`).`,
        body: newToken,
        responses: { 201: { schema: createdToken } },
        errors: ['invalid_state'],
      },
      async ({ principal, body }) => {
        const expiresAt = body.expires_at ? new Date(body.expires_at) : undefined;
        const created = await tokens.create(principal, { name: body.name, role: body.role, expiresAt });
        return { ...tokenResponse(created), token: created.secret };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'delete',
        path: '/api/auth/tokens/{id}',
        summary: 'Revoke one of your own API tokens',
        responses: { 200: { schema: done } },
        errors: ['not_found', 'forbidden'],
      },
      async ({ principal, params }) => {
        assertSession(principal);
        await tokens.remove(principal.userId, params.id, principal);
        return { message: 'Token revoked' };
      },
    ),
  ];
}

function userTokenRoutes(tokens: ApiTokenService): Route[] {
  const common = { tag: 'Users', access: 'administer' } as const;
  return [
    defineRoute(
      {
        ...common,
        method: 'get',
        path: '/api/users/{id}/tokens',
        summary: 'List a user’s API tokens',
        query: pagingQuery(),
        responses: { 200: { schema: apiTokenList } },
        errors: ['not_found'],
      },
      async ({ params, query }) => {
        const { items, total } = await tokens.list(params.id, query);
        return { tokens: items.map(tokenResponse), total, ...query };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'delete',
        path: '/api/users/{id}/tokens/{token_id}',
        summary: 'Revoke one of a user’s API tokens',
        responses: { 200: { schema: done } },
        errors: ['not_found'],
      },
      async ({ principal, params }) => {
        await tokens.remove(params.id, params.token_id, principal);
        return { message: 'Token revoked' };
      },
    ),
  ];
}
