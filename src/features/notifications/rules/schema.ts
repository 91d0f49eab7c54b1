import { z } from 'zod';
import { timestamp } from '../../../lib/http/routing/formats.ts';
import { listOf } from '../../../lib/http/routing/paging.ts';
import { tagNames } from '../../tenants/tenants.ts';
import { alertEvents, severities } from '../alert.ts';
import { quietHours } from './quiet-hours.ts';

const isUnique = (values: readonly string[]): boolean => new Set(values).size === values.length;
const once = { message: 'must contain each value only once' };

const events = z.array(z.enum(alertEvents)).max(alertEvents.length).refine(isUnique, once);
const allEvents =
  'Empty: all except `report`, the monthly report of availability. It is sent only where it is named, whatever the severity';
const ids = z.array(z.string().min(1).max(64)).max(500).refine(isUnique, once);

const tags = z.array(z.string());

const ruleFields = {
  enabled: z.boolean().default(true),
  events: events.default([]).meta({ description: allEvents }),
  severity: z.enum(severities).default('error').meta({ description: 'At least' }),
  tags: tagNames.default([]).meta({ description: 'Alerts of tenants with one of these tags; empty: all alerts' }),
  tenant_ids: ids.default([]).meta({ description: 'Alerts of these tenants; empty: all alerts' }),
  channel_ids: ids.default([]).meta({ description: 'Channels that send the alert' }),
  user_ids: ids.default([]).meta({
    description: 'Users whose inbox gets the alert, if their role may see it; also by e-mail if they prefer that',
  }),
  digest_minutes: z.int().min(0).max(1_440).nullable().default(null).meta({
    description:
      'Alerts below an error are collected and sent as one message per this number of minutes; 0: sent at once; null: as the setting notification_digest_minutes',
  }),
  quiet_hours: quietHours
    .nullable()
    .default(null)
    .meta({ description: 'When the channels wait, except for the most severe alerts' }),
};

export const ruleBody = z
  .strictObject(ruleFields)
  .refine(({ channel_ids, user_ids }) => channel_ids.length + user_ids.length > 0, {
    path: ['channel_ids'],
    message: 'Choose a channel or a user',
  })
  .meta({ id: 'NotificationRuleChange' });
export type RuleBody = z.output<typeof ruleBody>;

export const rule = z
  .object({ id: z.string(), ...ruleFields, tags, created_at: timestamp, updated_at: timestamp })
  .meta({ id: 'NotificationRule' });
export const ruleList = listOf('rules', rule);

const preferenceFields = {
  severity: z.enum(severities).nullable().meta({
    description:
      'Alerts of at least this severity; null: only those that a rule chooses for the user, and those about the account',
  }),
  events: events.meta({ description: allEvents }),
  tags: tagNames.meta({ description: 'Alerts of tenants with one of these tags; empty: all alerts' }),
  tenant_ids: ids.meta({
    description:
      'Alerts of these tenants; empty: all alerts. Deleted tenants leave the list; with the last one, `severity` becomes null',
  }),
  email: z.enum(['none', 'account', 'all']).meta({
    description:
      'What is sent to the user’s own address, too: nothing, what is about the account, or everything. Needs an e-mail channel',
  }),
  quiet_hours: quietHours.nullable().meta({ description: 'When e-mail waits, except for the most severe alerts' }),
};
export const preferences = z
  .object({
    ...preferenceFields,
    tags,
    address: z.string().nullable().meta({ description: 'Where e-mail is sent; null: it can’t be' }),
  })
  .meta({ id: 'NotificationPreferences' });
export type KeptPreferences = z.output<z.ZodObject<typeof preferenceFields>>;
export const preferenceChanges = z
  .strictObject(preferenceFields)
  .partial()
  .meta({ id: 'NotificationPreferenceChanges' });
export type PreferenceChanges = z.output<typeof preferenceChanges>;
