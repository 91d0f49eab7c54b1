import { z } from 'zod';
import { timestamp, toTimestamp } from '../../../lib/http/routing/formats.ts';
import { listOf, pagingQuery } from '../../../lib/http/routing/paging.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { assertSession } from '../context.ts';
import { done } from '../schema.ts';
import type { Sessions } from './session-service.ts';
import { type Session, sessionKinds } from './store.ts';

const openSession = z
  .object({
    id: z.string(),
    kind: z.enum(sessionKinds).meta({ description: '`browser`: the dashboard; `token`: an access token' }),
    created_at: timestamp,
    last_used_at: timestamp.meta({ description: 'Accurate to one minute' }),
    expires_at: timestamp,
    address: z.string(),
    user_agent: z.string(),
    current: z.boolean().meta({ description: 'Whether this request uses this session' }),
  })
  .meta({ id: 'Session' });

const sessionList = listOf('sessions', openSession);

const common = { tag: 'Authentication', access: 'view' } as const;

const toResponse = (session: Session, currentId: string | undefined) => ({
  id: session.id,
  kind: session.kind,
  created_at: toTimestamp(session.createdAt),
  last_used_at: toTimestamp(session.lastUsedAt),
  expires_at: toTimestamp(session.expiresAt),
  address: session.address,
  user_agent: session.userAgent,
  current: session.id === currentId,
});

/** The routes for your own sessions. */
export function sessionRoutes(sessions: Sessions): Route[] {
  return [
    defineRoute(
      {
        ...common,
        method: 'get',
        path: '/api/auth/sessions',
        summary: 'List your own sessions',
        description: 'One for each active sign-in, most recently used first.',
        query: pagingQuery(),
        responses: { 200: { schema: sessionList } },
      },
      async ({ principal, query }) => {
        const { items, total } = await sessions.list(principal.userId, query);
        return { sessions: items.map((session) => toResponse(session, principal.sessionId)), total, ...query };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'delete',
        path: '/api/auth/sessions',
        summary: 'End all your own sessions except the current one',
        errors: ['forbidden'],
        description: 'API tokens stay valid. This request does not accept an API token.',
        responses: { 200: { schema: done } },
      },
      async ({ principal }) => {
        assertSession(principal);
        await sessions.endOthers(principal, principal.sessionId);
        return { message: 'All other sessions ended' };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'delete',
        path: '/api/auth/sessions/{id}',
        summary: 'End one of your own sessions',
        responses: { 200: { schema: done } },
        errors: ['not_found', 'forbidden'],
      },
      async ({ principal, params }) => {
        assertSession(principal);
        await sessions.end(principal, params.id);
        return { message: 'Session ended' };
      },
    ),
  ];
}
