import { z } from 'zod';
import { queryBoolean, timestamp } from '../../lib/http/routing/formats.ts';
import { listOf } from '../../lib/http/routing/paging.ts';
import { customEntryProblem } from './custom-env.ts';

/** A single line of text with at most `max` visible characters. */
const line = (max: number) =>
  z
    .string()
    .transform((text) => text.trim().normalize('NFC'))
    .refine((text) => text !== '' && [...text].length <= max, `must have 1 to ${max} characters`)
    .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters');

const url = (protocols: RegExp, rule: string) =>
  z
    .string()
    .max(2_048, 'must have at most 2,048 characters')
    .refine((text) => {
      // The URL parser silently removes white space and control characters.
      const parsed = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text);
      return parsed !== null && protocols.test(parsed.protocol) && /^[a-z]+:\/\//i.test(text);
    }, rule);

const httpUrl = url(/^https?:$/, 'must be an http:// or https:// address');
const webSocketUrl = url(/^wss?:$/, 'must be a ws:// or wss:// address');

const customEnv = z.record(z.string(), z.string('must be a string')).check((context) => {
  for (const [key, value] of Object.entries(context.value)) {
    const message = customEntryProblem(key, value);
    if (message) context.issues.push({ code: 'custom', message, path: [key], input: value });
  }
});

export const tenantConfig = z
  .object({
    id: z.string(),
    tenant_id: z.string(),
    app_name: z.string(),
    app_name_short: z.string(),
    project_name: z.string(),
    admin_email: z.string(),
    frontend_url: z.string(),
    backend_api_url: z.string(),
    ws_base_url: z.string(),
    local_embed_model: z.string(),
    local_llm_model: z.string(),
    local_base_url: z.string(),
    custom_env: z.record(z.string(), z.string()),
    revision: z.int().meta({ description: 'Increases with each change' }),
  })
  .meta({ id: 'TenantConfig' });

export const configQuery = z.object({
  hide_secrets: queryBoolean(false).meta({
    description:
      'Show values of `custom_env` as ***hidden*** if they look like secrets by name (…_KEY, …_TOKEN, …_PASSWORD and similar) or by form (a URL with a password). Viewers see no values at all',
  }),
});

const changes = z.array(
  z.object({
    field: z.string(),
    entry: z.string().nullable().meta({ description: 'The entry of `custom_env`; null: the field itself' }),
    before: z.string().nullable().meta({ description: 'null: no value; a secret is shown as ***hidden***' }),
    after: z.string().nullable(),
  }),
);

export const configPlan = z.object({ changes }).meta({ id: 'TenantConfigPlan' });

export const configHistory = listOf(
  'revisions',
  z
    .object({
      revision: z.int(),
      username: z.string().nullable().meta({ description: 'null: not recorded' }),
      created_at: timestamp,
      changes,
    })
    .meta({ id: 'TenantConfigRevision' }),
);

export const configReversal = z.strictObject({
  to: z.int().min(1).meta({ description: 'The revision whose values all fields get' }),
  revision: z.int().optional().meta({ description: 'As for `PUT config`' }),
});

export const configChanges = z
  .strictObject({
    /** Accepted so that a client can send back what it read; these two can't be changed. */
    id: z.string().optional(),
    tenant_id: z.string().optional(),
    app_name: line(120).optional(),
    app_name_short: line(40).optional(),
    project_name: line(120).optional(),
    admin_email: z.email('must be an e-mail address').max(254, 'must have at most 254 characters').optional(),
    frontend_url: httpUrl.optional(),
    backend_api_url: httpUrl.optional(),
    ws_base_url: webSocketUrl.optional(),
    local_embed_model: line(200).optional(),
    local_llm_model: line(200).optional(),
    local_base_url: httpUrl.optional(),
    custom_env: customEnv.optional(),
    revision: z.int().optional().meta({
      description:
        'The revision that the change is based on: if the configuration has changed since, the change is rejected (409 invalid_state)',
    }),
  })
  .meta({ id: 'TenantConfigChanges' });

export const regeneratedEnv = z
  .object({ message: z.string(), path: z.string(), backup: z.string().nullable() })
  .meta({ id: 'RegeneratedEnvironment' });
