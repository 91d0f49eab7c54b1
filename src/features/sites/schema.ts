import { z } from 'zod';
import { type ProxyKind, proxyWarningCodes, siteRoles } from '../../adapters/proxies/proxy.ts';
import { timestamp } from '../../lib/http/routing/formats.ts';
import { configStates } from './drift/drift.ts';

const proxyKinds = ['none', 'nginx', 'traefik'] as const satisfies readonly ProxyKind[];

export const proxyConfig = z
  .object({
    domain: z.string(),
    path: z.string().nullable().meta({ description: 'The file at the proxy; null for viewers' }),
    type: z.enum(siteRoles),
    tenant_id: z.uuid(),
    enabled: z.boolean().meta({ description: 'Whether the file is there' }),
    state: z.enum(configStates).meta({
      description:
        '`edited`: changed manually since it was applied; `missing`: removed; `outdated`: the tenant’s host names or the source of certificates changed; `orphan`: without a site in service, because its tenant was deleted or it is a copy',
    }),
    applied_at: timestamp.nullable().meta({ description: 'When the site was last changed' }),
    certificate: z.object({ issuer: z.string(), not_after: timestamp, days_left: z.int() }).nullable().meta({
      description: 'The host name’s certificate; null: HTTP only, or a certificate that the proxy manages itself',
    }),
    certificate_error: z
      .string()
      .nullable()
      .meta({ description: 'Why the last attempt to obtain a certificate failed' }),
  })
  .meta({ id: 'ProxyConfig' });
export type ProxyConfig = z.output<typeof proxyConfig>;

/** What `GET /api/proxy` answers. */
export const proxyState = z
  .object({
    kind: z.enum(proxyKinds),
    available: z.boolean(),
    detail: z.string().meta({ description: 'Its version, or why it can’t be used; empty where there is none' }),
    warnings: z
      .array(
        z.object({
          code: z.enum(proxyWarningCodes),
          params: z.object({ entry_point: z.string(), option: z.string() }),
        }),
      )
      .meta({
        description:
          'Options of Traefik’s entry points that do not fit, and what to set. `front_proxies_not_trusted`: it ignores what FRONT_PROXIES names; `front_proxies_not_named`: it believes others; `underscore_headers_kept`: visitors can forge headers',
      }),
    sites: z
      .partialRecord(z.enum(configStates), z.int())
      .meta({ description: 'Sites by the result of the last check, which runs every five minutes' }),
    last_change: z
      .object({
        at: timestamp,
        tenant_id: z.string(),
        slug: z.string(),
        outcome: z.enum(['changed', 'unchanged', 'failed']),
        output: z
          .string()
          .nullable()
          .meta({ description: 'The output of the proxy’s test and reload; null for viewers' }),
      })
      .nullable()
      .meta({ description: 'Since the manager started' }),
  })
  .meta({ id: 'ProxyState' });

const certificateFacts = z.object({
  names: z.array(z.string()),
  source: z.string(),
  issuer: z.string(),
  not_before: timestamp,
  not_after: timestamp,
  days_left: z.int(),
  fingerprint: z.string(),
});

/** What `GET /api/tenants/{id}/proxy` answers. */
export const tenantProxy = z
  .object({
    tenant_id: z.uuid(),
    kind: z.enum(proxyKinds),
    state: z.enum([...configStates, 'none']).meta({ description: '`none`: no site was applied' }),
    path: z.string().nullable().meta({ description: 'The file at the proxy; null for viewers' }),
    configuration: z
      .string()
      .nullable()
      .meta({ description: 'The applied configuration, or the planned one if none is applied; null for viewers' }),
    applied_at: timestamp.nullable(),
    certificates: z.array(certificateFacts),
    certificate_error: z.string().nullable().meta({ description: 'Why the last attempt brought no certificate' }),
    next_attempt_at: timestamp.nullable().meta({ description: 'When a certificate is next to be obtained' }),
  })
  .meta({ id: 'TenantProxy' });
