import { z } from 'zod';
import { timestamp } from '../../platform/http/formats.ts';
import { siteRoles } from '../../platform/proxy/proxy.ts';
import { configStates } from './drift.ts';

export const proxyConfig = z
  .object({
    domain: z.string(),
    path: z.string().meta({ description: 'The file at the proxy' }),
    type: z.enum(siteRoles),
    tenant_id: z.uuid(),
    enabled: z.boolean().meta({ description: 'Whether the file is there' }),
    state: z.enum(configStates).meta({
      description:
        '`edited`: changed by others since it was put into service; `missing`: removed; `outdated`: the tenant has other host names by now, or certificates are had in another way; `orphan`: of no site in service: its tenant is gone, or it is a copy',
    }),
  })
  .meta({ id: 'ProxyConfig' });
export type ProxyConfig = z.output<typeof proxyConfig>;

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
    kind: z.enum(['none', 'nginx', 'traefik']),
    state: z.enum([...configStates, 'none']).meta({ description: '`none`: nothing was put into service' }),
    path: z.string().nullable(),
    configuration: z
      .string()
      .nullable()
      .meta({ description: 'As put into service; where there is none, as it would be' }),
    applied_at: timestamp.nullable(),
    certificates: z.array(certificateFacts),
    certificate_error: z.string().nullable().meta({ description: 'Why the last attempt brought no certificate' }),
    next_attempt_at: timestamp.nullable().meta({ description: 'When a certificate is next to be obtained' }),
  })
  .meta({ id: 'TenantProxy' });
