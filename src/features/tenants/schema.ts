import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { queryBoolean, timestamp } from '../../lib/http/routing/formats.ts';
import { listOf, pagingQuery } from '../../lib/http/routing/paging.ts';
import { oneLine } from '../../lib/text/foreign-text.ts';
import { slugLength, slugPattern } from '../../lib/text/slug.ts';
import { tagNames } from './tags/routes.ts';
import { healthStatuses, tenantStatuses } from './tenant.ts';

/** Length in code points, not in UTF-16 units. */
const characters = (text: string): number => [...text].length;

const name = z
  .string()
  .transform((text) => text.trim().normalize('NFC'))
  .refine((text) => characters(text) >= 1 && characters(text) <= 120, 'must have 1 to 120 characters')
  .refine(
    (text) => oneLine.test(text),
    'must not contain control or invisible characters, or such that change the direction of text',
  );

const slugLengthRule = `must have ${slugLength.min} to ${slugLength.max} characters`;
const slug = z
  .string()
  .regex(
    slugPattern,
    'must be like green-valley-2: lower-case letters, digits and single hyphens, starting with a letter',
  )
  .min(slugLength.min, slugLengthRule)
  .max(slugLength.max, slugLengthRule);

const label = /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i;

/** The problem with a host name (RFC 1123: no scheme, port, path, wildcard, underscore or IP address); undefined if valid. */
export function hostNameProblem(name: string): string | undefined {
  if (name.length === 0) return 'must be a host name like app.example.org';
  if (name.length > 253) return 'must have at most 253 characters';
  const ascii = asciiName(name);
  if (ascii !== name && hostNameProblem(ascii) === undefined) return `must be written as ${ascii} here`;
  const labels = name.split('.');
  if (!labels.every((part) => label.test(part)))
    return 'must be a host name like app.example.org, without http://, port or path';
  // A numeric last label could be read as an IP address.
  if (/^\d+$/.test(labels.at(-1) ?? '')) return 'must be a host name like app.example.org, not an IP address';
  return undefined;
}

/** As name servers know it: letters outside ASCII as xn--… (IDNA), and without the dot of the root at the end. */
const asciiName = (name: string): string => {
  const plain = name.replace(/(?<=[^.])\.$/, '');
  return /^\p{ASCII}*$/u.test(plain) ? plain : domainToASCII(plain) || plain;
};

export const hostName = z
  .string()
  .transform(asciiName)
  .check((context) => {
    const message = hostNameProblem(context.value);
    if (message) context.issues.push({ code: 'custom', message, input: context.value });
  })
  .transform((text) => text.toLowerCase());

const port = z.int('must be a whole number').min(1_024, 'must be 1024 to 65535').max(65_535, 'must be 1024 to 65535');

const notes = z
  .string()
  .refine((text) => characters(text) <= 10_000, 'must have at most 10,000 characters')
  .refine((text) => !text.includes('\0'), 'must not contain a NUL character');

/** The service checks the address: the rules depend on the operator's settings. */
export const gitRepo = z.string().max(2_048, 'must have at most 2,048 characters').meta({
  description:
    'https://, http://, ssh:// or git@host:path with a public host or one of GIT_HOSTS, or a local path if the operator allows it; empty: none',
});

export const newTenant = z
  .strictObject({
    name,
    slug,
    domain: hostName,
    api_domain: hostName,
    frontend_port: port.nullish(),
    backend_port: port.nullish(),
    git_repo: gitRepo.nullish(),
    notes: notes.nullish(),
    tags: tagNames.optional(),
  })
  .meta({ id: 'NewTenant' });

export const tenantChanges = z
  .strictObject({
    name: name.optional(),
    domain: hostName.optional(),
    api_domain: hostName.optional(),
    git_repo: gitRepo.nullish(),
    notes: notes.nullish(),
    tags: tagNames.optional(),
    frontend_port: port.optional(),
    backend_port: port.optional(),
  })
  .meta({ id: 'TenantChanges' });

const shown = {
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  domain: z.string(),
  api_domain: z.string(),
  status: z.enum(tenantStatuses),
  health_status: z.enum(healthStatuses),
  health_since: timestamp.nullable().meta({ description: 'When `health_status` last changed; null: never' }),
  version: z.string().nullable().meta({ description: 'The deployed version; null for a branch, a commit or none' }),
  update_available: z.string().nullable().meta({
    description: 'A newer release, as of the last look at the repository (every 15 minutes); null: none is known',
  }),
  last_backup_at: timestamp.nullable().meta({ description: 'Of the last complete backup on the manager’s machine' }),
  response_ms: z.int().nullable().meta({
    description: 'Response time of the website in the last check since the start; null: no check or no answer',
  }),
};

const running = {
  frontend_port: z.int(),
  backend_port: z.int(),
  created_at: timestamp,
  deployed_at: timestamp.nullable(),
  tags: z.array(z.string()),
};

const tenantListItem = z.object({ ...shown, ...running }).meta({ id: 'TenantListItem' });

export const tenantBody = z
  .object({
    ...shown,
    health_details: z.record(z.string(), z.unknown()).nullable(),
    ...running,
    deployed_commit: z
      .object({ id: z.string(), author: z.string(), date: timestamp, subject: z.string() })
      .nullable()
      .meta({ description: 'The commit that is deployed; null: none, or the manager no longer has its details' }),
    written_domain: z
      .string()
      .nullable()
      .meta({ description: '`domain` with its letters outside ASCII; null: has none' }),
    written_api_domain: z.string().nullable(),
    directory: z.string().nullable().meta({ description: 'Path on the manager’s machine; null for viewers' }),
    git_repo: z.string().nullable(),
    notes: z.string().nullable(),
  })
  .meta({ id: 'Tenant' });

export const createdTenant = tenantBody
  .pick({
    id: true,
    name: true,
    slug: true,
    domain: true,
    status: true,
    frontend_port: true,
    backend_port: true,
    created_at: true,
  })
  .meta({ id: 'CreatedTenant' });

export const tenantList = listOf('tenants', tenantListItem).meta({ id: 'TenantList' });

/** The filter for lists and bulk actions. */
export const tenantFilter = {
  status: z.enum(tenantStatuses).optional(),
  health_status: z.enum(healthStatuses).optional(),
  search: z.string().max(255).optional(),
  tag: z.string().min(1).max(80).optional().meta({ description: 'Ignoring case and accents' }),
};

export const tenantQuery = pagingQuery(50).extend(tenantFilter);

/** The tenants of a bulk action, by id. */
export const tenantIds = z
  .array(z.uuid())
  .min(1)
  .max(10_000)
  .refine((ids) => new Set(ids).size === ids.length, 'must contain each tenant only once');

/** The tenants of an export. */
export const exportBody = z
  .strictObject({
    tenant_ids: tenantIds.optional().meta({ description: 'The tenants, in this order; deleted ones are left out' }),
    filter: z.strictObject(tenantFilter).optional().meta({ description: 'Like `GET /api/tenants`, ordered by slug' }),
  })
  .refine(({ tenant_ids, filter }) => tenant_ids === undefined || filter === undefined, {
    path: ['filter'],
    message: 'Give either tenant_ids or filter',
  })
  .meta({ id: 'TenantExport' });

export const removeQuery = z.object({
  remove_files: queryBoolean(false),
  remove_proxy: queryBoolean(true),
  remove_services: queryBoolean(true),
});

export const removedTenant = z
  .object({
    message: z.string(),
    removed: z.object({
      files: z.boolean(),
      proxy: z.boolean(),
      services: z.boolean(),
      ports_released: z.array(z.int()),
    }),
  })
  .meta({ id: 'RemovedTenant' });
