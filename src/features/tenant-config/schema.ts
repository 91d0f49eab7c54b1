import { z } from 'zod';
import { queryBoolean } from '../../lib/http/routing/formats.ts';
import { customEntryProblem } from './custom-env.ts';

/** A line of text for people: one line, at most so many characters as a reader counts them. */
const line = (most: number) =>
  z
    .string()
    .transform((text) => text.trim().normalize('NFC'))
    .refine((text) => text !== '' && [...text].length <= most, `must have 1 to ${most} characters`)
    .refine((text) => !/\p{Cc}/u.test(text), 'must hold no control characters');

const url = (protocols: RegExp, rule: string) =>
  z
    .string()
    .max(2_048, 'must have at most 2,048 characters')
    .refine((text) => {
      // The URL parser drops white space and control characters silently.
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
    revision: z.int().meta({ description: 'Grows with each change' }),
  })
  .meta({ id: 'TenantConfig' });

export const configQuery = z.object({
  hide_secrets: queryBoolean(false).meta({
    description:
      'Values of `custom_env` that are secrets by name (…_KEY, …_TOKEN, …_PASSWORD and the like) or form (an address with a password) show as ***hidden***; viewers see no value at all',
  }),
});

export const configPlan = z
  .object({
    changes: z.array(
      z.object({
        field: z.string(),
        entry: z.string().nullable().meta({ description: 'Of `custom_env`; null: the field itself' }),
        before: z.string().nullable().meta({ description: 'null: there is none; a secret shows as ***hidden***' }),
        after: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'TenantConfigPlan' });

export const configChanges = z
  .strictObject({
    /** A configuration may be sent back as it was read; these two can't be changed. */
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
        'What the change was made from: if the configuration has changed since, it is refused (409 invalid_state)',
    }),
  })
  .meta({ id: 'TenantConfigChanges' });

export const regeneratedEnv = z
  .object({ message: z.string(), path: z.string(), backup: z.string().nullable() })
  .meta({ id: 'RegeneratedEnvironment' });
