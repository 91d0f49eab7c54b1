import { z } from 'zod';
import type { EventBus } from '../../../adapters/events/bus.ts';
import type { Clock } from '../../../lib/clock.ts';
import { queryBoolean, timestamp, toTimestamp, toTimestampOrNull } from '../../../lib/http/routing/formats.ts';
import { listOf, pagingQuery } from '../../../lib/http/routing/paging.ts';
import { may } from '../../../lib/http/routing/roles.ts';
import { defineRoute, type Principal, type Route } from '../../../lib/http/routing/route.ts';
import { alertEvents, severities } from '../alert.ts';
import type { InboxEntry, InboxFilter, InboxStore } from './store.ts';

const unread = z.int().meta({ description: 'Unread entries in total' });
const entry = z
  .object({
    id: z.string(),
    key: z.string().meta({ description: 'What it is about, for example `incident/<id>/opened`; once in each inbox' }),
    event: z.enum(alertEvents),
    severity: z.enum(severities),
    title: z.string(),
    text: z.string(),
    link: z.string().meta({ description: 'Path in the dashboard' }),
    tenants: z.array(z.object({ id: z.string(), slug: z.string(), name: z.string() })),
    at: timestamp,
    read_at: timestamp.nullable(),
  })
  .meta({ id: 'InboxEntry' });
const inboxList = listOf('entries', entry).extend({ unread });
const readRequest = z
  .union([
    z.strictObject({ ids: z.array(z.string().max(64)).min(1).max(500) }),
    z.strictObject({ all: z.literal(true) }),
  ])
  .meta({ id: 'InboxRead' });

export interface InboxDeps {
  rows: InboxStore;
  clock: Clock;
  events: Pick<EventBus, 'publish'>;
}

/** A token may have a lower role than its user, and a user a lower one than when the alert came. */
const filterOf = ({ userId, role }: Principal): InboxFilter => ({
  userId,
  access: ['own', ...(['view', 'operate'] as const).filter((permission) => may(role, permission))],
});

/** The caller's own inbox. */
export function inboxRoutes({ rows, clock, events }: InboxDeps): Route[] {
  const common = { tag: 'Notifications', access: 'view' } as const;
  return [
    defineRoute(
      {
        ...common,
        method: 'get',
        path: '/api/inbox',
        summary: 'List the current user’s notifications',
        description:
          'Newest first; they are kept for 90 days. The event `inbox` of `/ws/events` says that there are others.',
        query: pagingQuery(25).extend({ unread: queryBoolean(false).meta({ description: 'Only unread entries' }) }),
        responses: { 200: { schema: inboxList } },
      },
      async ({ principal, query: { unread: unreadOnly, ...paging } }) => {
        const page = await rows.list({ ...filterOf(principal), unreadOnly }, paging);
        return { entries: page.items.map(responseOf), total: page.total, ...paging, unread: page.unread };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'post',
        path: '/api/inbox/read',
        summary: 'Mark notifications as read',
        description: 'IDs that are not in the current user’s inbox are ignored.',
        body: readRequest,
        responses: { 200: { schema: z.object({ unread }) } },
      },
      async ({ principal, body }) => {
        const changed = await rows.markRead(principal.userId, 'ids' in body ? body.ids : undefined, clock.now());
        if (changed > 0) events.publish({ type: 'inbox', tenant_id: null });
        return { unread: await rows.unread(filterOf(principal)) };
      },
    ),
  ];
}

const responseOf = ({ id, alertKey, event, severity, title, text, link, tenants, at, readAt }: InboxEntry) => ({
  id,
  key: alertKey,
  event,
  severity,
  title,
  text,
  link,
  tenants: tenants.map((tenant) => ({ id: tenant.id, slug: tenant.slug, name: tenant.name })),
  at: toTimestamp(at),
  read_at: toTimestampOrNull(readAt),
});
