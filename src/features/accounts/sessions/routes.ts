import { z } from 'zod';
import { timestamp, toTimestamp } from '../../../lib/http/routing/formats.ts';
import { listOf, pagingQuery } from '../../../lib/http/routing/paging.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { done } from '../schema.ts';
import { assertSession } from '../sign-in/assert-session.ts';
import type { Sessions } from './session-service.ts';
import { type Session, sessionKinds } from './store.ts';

const openSession = z
  .object({
    id: z.string(),
    kind: z.enum(sessionKinds).meta({ description: '`browser`: the dashboard; `token`: an access token' }),
    created_at: timestamp,
    last_used_at: timestamp.meta({ description: 'Exact to a minute' }),
    expires_at: timestamp,
    address: z.string(),
    user_agent: z.string(),
    current: z.boolean().meta({ description: 'Whether this request was made with it' }),
  })
  .meta({ id: 'Session' });

const sessionList = listOf('sessions', openSession);

const common = { tag: 'Authentication', access: 'view' } as const;

const onWire = (session: Session, currentId: string | undefined) => ({
  id: session.id,
  kind: session.kind,
  created_at: toTimestamp(session.createdAt),
  last_used_at: toTimestamp(session.lastUsedAt),
  expires_at: toTimestamp(session.expiresAt),
  address: session.address,
  user_agent: session.userAgent,
  current: session.id === currentId,
});

/** One's own sign-ins. */
export function sessionRoutes(sessions: Sessions): Route[] {
  return [
    defineRoute(
      {
        ...common,
        method: 'get',
        path: '/api/auth/sessions',
        summary: 'List one’s own sessions',
        description: 'One for each sign-in that has not ended, the last used first.',
        query: pagingQuery(),
        responses: { 200: { schema: sessionList } },
      },
      async ({ principal, query }) => {
        const { items, total } = await sessions.list(principal.userId, query);
        return { sessions: items.map((session) => onWire(session, principal.sessionId)), total, ...query };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'delete',
        path: '/api/auth/sessions',
        summary: 'End all of one’s own sessions but the current one',
        errors: ['forbidden'],
        description: 'API tokens stay valid. An API token can end no sessions.',
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
        summary: 'End one of one’s own sessions',
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
