import { z } from 'zod';
import type { WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import { timestamp, toTimestamp, toTimestampOrNull } from '../../../lib/http/routing/formats.ts';
import { listOf, pagingQuery } from '../../../lib/http/routing/paging.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { severities } from '../alert.ts';
import { type Delivery, deliveryStates, type OutboxService } from './outbox.ts';

const delivery = z
  .object({
    id: z.string(),
    channel_id: z.string(),
    recipient: z.string().nullable().meta({ description: 'E-mail to one user; null: the channel’s own recipients' }),
    title: z.string(),
    text: z.string(),
    url: z.string(),
    severity: z.enum(severities),
    state: z.enum(deliveryStates),
    attempts: z.int(),
    not_before: timestamp.meta({ description: 'The next attempt is not made before' }),
    expires_at: timestamp.meta({ description: 'No further attempt is made after' }),
    outcome: z.string().nullable().meta({ description: 'The last reply of the service, or why it was not reached' }),
    maybe_twice: z.boolean().meta({
      description:
        'An earlier attempt may have arrived, although its reply did not, and this kind of channel can’t recognize a repetition',
    }),
    created_at: timestamp,
    attempted_at: timestamp.nullable(),
  })
  .meta({ id: 'NotificationDelivery' });

const deliveryList = listOf('deliveries', delivery).meta({ id: 'NotificationDeliveryList' });
const deliveryQuery = pagingQuery().extend({
  channel_id: z.string().max(36).optional(),
  state: z.enum(deliveryStates).optional(),
});

const responseOf = ({ message, ...row }: Delivery) => ({
  id: row.id,
  channel_id: row.channelId,
  recipient: row.recipient,
  title: message.title,
  text: message.text,
  url: message.url,
  severity: message.severity,
  state: row.state,
  attempts: row.attempts,
  not_before: toTimestamp(row.notBefore),
  expires_at: toTimestamp(row.expiresAt),
  outcome: row.outcome,
  maybe_twice: row.maybeTwice,
  created_at: toTimestamp(row.createdAt),
  attempted_at: toTimestampOrNull(row.attemptedAt),
});

/** The delivery log. */
export function deliveryRoutes(outbox: OutboxService, { writeAuditLog }: { writeAuditLog: WriteAuditLog }): Route[] {
  const common = { tag: 'Notifications', access: 'administer' } as const;
  return [
    defineRoute(
      {
        ...common,
        method: 'get',
        path: '/api/notifications/deliveries',
        summary: 'List deliveries of notifications',
        description: 'Newest first. Ended ones are removed after `log_retention_days`.',
        query: deliveryQuery,
        responses: { 200: { schema: deliveryList } },
      },
      async ({ query: { channel_id: channelId, state, ...paging } }) => {
        const { items, total } = await outbox.list({ channelId, state }, paging);
        return { deliveries: items.map(responseOf), total, ...paging };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'post',
        path: '/api/notifications/deliveries/{id}/retry',
        summary: 'Send a failed delivery again',
        responses: { 200: { schema: delivery } },
        errors: ['not_found', 'invalid_state'],
      },
      async ({ params, principal }) => {
        const row = await outbox.retry(params.id);
        await writeAuditLog({
          level: 'info',
          category: 'audit',
          message: `Notification sent again by ${principal.username}`,
          details: {
            user_id: principal.userId,
            username: principal.username,
            delivery_id: row.id,
            channel_id: row.channelId,
          },
        });
        return responseOf(row);
      },
    ),
  ];
}
