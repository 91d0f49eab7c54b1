import { z } from 'zod';
import { type ProxyKind, siteRoles } from '../../adapters/proxies/proxy.ts';
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
        '`edited`: changed by others since it was put into service; `missing`: removed; `outdated`: the tenant has other host names by now, or certificates are had in another way; `orphan`: of no site in service: its tenant is gone, or it is a copy',
    }),
    applied_at: timestamp.nullable().meta({ description: 'When the site was last put into service otherwise' }),
    certificate: z
      .object({ issuer: z.string(), not_after: timestamp, days_left: z.int() })
      .nullable()
      .meta({ description: 'What the host name is served with; null: HTTP alone, or one the proxy sees to by itself' }),
    certificate_error: z.string().nullable().meta({ description: 'Why the last attempt brought no certificate' }),
  })
  .meta({ id: 'ProxyConfig' });
export type ProxyConfig = z.output<typeof proxyConfig>;

/** What `GET /api/proxy` answers. */
export const proxyState = z
  .object({
    kind: z.enum(proxyKinds),
    available: z.boolean(),
    detail: z.string().meta({ description: 'Its version, or why it can’t be used; empty where there is none' }),
    sites: z
      .partialRecord(z.enum(configStates), z.int())
      .meta({ description: 'Sites by what the last look found, which comes every five minutes' }),
    last_change: z
      .object({
        at: timestamp,
        tenant_id: z.string(),
        slug: z.string(),
        outcome: z.enum(['changed', 'unchanged', 'failed']),
        output: z
          .string()
          .nullable()
          .meta({ description: 'What the proxy’s own test and reload printed; null for viewers' }),
      })
      .nullable()
      .meta({ description: 'Since the manager was started' }),
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
    state: z.enum([...configStates, 'none']).meta({ description: '`none`: nothing was put into service' }),
    path: z.string().nullable().meta({ description: 'The file at the proxy; null for viewers' }),
    configuration: z
      .string()
      .nullable()
      .meta({ description: 'As put into service; where there is none, as it would be; null for viewers' }),
    applied_at: timestamp.nullable(),
    certificates: z.array(certificateFacts),
    certificate_error: z.string().nullable().meta({ description: 'Why the last attempt brought no certificate' }),
    next_attempt_at: timestamp.nullable().meta({ description: 'When a certificate is next to be obtained' }),
  })
  .meta({ id: 'TenantProxy' });
