import { z } from 'zod';
import { timestamp } from '../../../lib/http/routing/formats.ts';
import { listOf } from '../../../lib/http/routing/paging.ts';
import { deliveryStates } from '../outbox/delivery.ts';
import { channelKinds, configSchemas } from './kinds.ts';

const base = {
  name: z.string().trim().min(1).max(100),
  enabled: z.boolean().default(true),
};

/** A channel as clients send it. */
export const newChannel = z
  .discriminatedUnion('kind', [
    z.strictObject({ ...base, kind: z.literal('email'), config: configSchemas.email }),
    z.strictObject({ ...base, kind: z.literal('slack'), config: configSchemas.slack }),
    z.strictObject({ ...base, kind: z.literal('discord'), config: configSchemas.discord }),
    z.strictObject({ ...base, kind: z.literal('teams'), config: configSchemas.teams }),
    z.strictObject({ ...base, kind: z.literal('mattermost'), config: configSchemas.mattermost }),
    z.strictObject({ ...base, kind: z.literal('ntfy'), config: configSchemas.ntfy }),
    z.strictObject({ ...base, kind: z.literal('webhook'), config: configSchemas.webhook }),
  ])
  .meta({ id: 'NotificationChannelInput' });

export const channel = z
  .object({
    id: z.string(),
    kind: z.enum(channelKinds),
    name: z.string(),
    enabled: z.boolean(),
    target: z.string().meta({ description: 'Where it leads: a host, recipients or a topic' }),
    config: z
      .record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]))
      .meta({ description: 'The fields of its kind; a secret that is set is `***hidden***`' }),
    last_delivery: z
      .object({
        state: z.enum(deliveryStates),
        at: timestamp,
        outcome: z.string().nullable(),
      })
      .nullable()
      .meta({ description: 'The last attempt to send; null: none yet' }),
    pending: z.int().meta({ description: 'Deliveries that wait or are being sent' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'NotificationChannel' });

export const channelList = listOf('channels', channel);

export const testResult = z
  .object({
    delivered: z.boolean(),
    reply: z.string().meta({ description: 'What the service answered, or why it was not reached' }),
    duration_ms: z.int(),
  })
  .meta({ id: 'NotificationTest' });

export const removed = z.object({ message: z.string() });
