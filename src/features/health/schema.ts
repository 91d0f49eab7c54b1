import { z } from 'zod';
import { databaseProblems } from '../../adapters/databases/tenant-database.ts';
import { timestamp } from '../../lib/http/routing/formats.ts';
import { healthStatuses } from '../tenants/tenants.ts';

const pageProblems = [
  'refused',
  'late',
  'closed',
  'no_route',
  'unknown_name',
  'not_http',
  'status',
  'says_unhealthy',
  'answer',
  'no_tls',
  'no_certificate',
  'other_certificate',
  'other',
] as const;

const pageCheck = z.object({
  status: z.enum(['up', 'down']),
  response_time_ms: z.int().min(0).nullable().meta({ description: 'null: no answer' }),
  status_code: z.int().nullable(),
  error: z.string().optional().meta({ description: 'Why the page is down, or another problem if it is up' }),
  problem: z.enum(pageProblems).optional().meta({ description: 'The kind of `error` of a page that is down' }),
  reason: z.string().optional().meta({ description: 'Why the application says that it is not healthy' }),
  body: z.string().optional().meta({ description: 'The beginning of an answer that is an error, without its markup' }),
});
export type PageCheck = z.output<typeof pageCheck>;

const databaseCheck = z.object({
  status: z.enum(['healthy', 'unhealthy', 'down']),
  size_mb: z.number().min(0).nullable().meta({ description: 'null: unknown' }),
  connections: z.int().min(0).nullable().meta({ description: 'null: not applicable' }),
  longest_query_s: z
    .number()
    .min(0)
    .optional()
    .meta({ description: 'In s: how long the longest query in its database has been running; missing: not known' }),
  error: z.string().optional(),
  problem: z.enum(databaseProblems).optional().meta({ description: 'The kind of `error`' }),
});

const serviceState = z.enum(['active', 'inactive']);

const servicesCheck = z.object({
  frontend_service: serviceState,
  backend_service: serviceState,
  error: z.string().optional().meta({ description: 'Why a service is inactive' }),
  crash_loop: z
    .object({ service: z.enum(['frontend', 'backend']), restarts: z.int(), since: timestamp })
    .optional()
    .meta({ description: 'A service that was restarted three times or more, until it has run for five minutes' }),
});
export type ServicesCheck = z.output<typeof servicesCheck>;

const syntheticCheck = z.object({
  status: z.enum(['up', 'down']),
  check: z.string().nullable().meta({ description: 'The first check that failed; null: all passed' }),
  step: z.string().nullable().meta({ description: 'Its step that failed' }),
  duration_ms: z.int().min(0).meta({ description: 'Of all checks together' }),
  at: timestamp.meta({ description: 'When they ran last' }),
  error: z.string().optional(),
});
export type SyntheticCheck = z.output<typeof syntheticCheck>;

export const healthChecks = z.object({
  frontend: pageCheck,
  backend: pageCheck,
  database: databaseCheck,
  services: servicesCheck,
  proxy: pageCheck.optional().meta({
    description: 'The worse result of both host names through the reverse proxy; omitted without a site',
  }),
  synthetic: syntheticCheck.optional().meta({
    description: 'The last run of the checks with a user’s steps that the manifest names; omitted without a recent run',
  }),
});
export type HealthChecks = z.output<typeof healthChecks>;

const certificate = z.object({
  not_after: timestamp,
  days_left: z.int().meta({ description: 'Whole days; negative once it has expired' }),
  issuer: z.string(),
  error: z.string().optional().meta({ description: 'Set if the certificate has expired or expires soon' }),
});
export type CertificateCheck = z.output<typeof certificate>;

/** The response of `GET health` and `POST health-check`. */
export const healthReport = z
  .object({
    tenant_id: z.uuid(),
    overall_status: z.enum(healthStatuses),
    checks: healthChecks,
    certificate: certificate.nullable().meta({ description: 'null: the manager knows no certificate' }),
    last_check: timestamp,
  })
  .meta({ id: 'HealthReport' });
export type HealthReport = z.output<typeof healthReport>;

/** The messages of a tenant's health stream. */
export const healthStream = {
  health_update: healthReport
    .pick({ tenant_id: true, overall_status: true, checks: true })
    .extend({ type: z.literal('health_update') }),
};

const responseTime = z.int().min(0).nullable();

/** The response of `GET health/history`. */
export const healthHistory = z
  .object({
    tenant_id: z.uuid(),
    checks: z
      .array(
        z.object({
          at: timestamp,
          overall_status: z.enum(healthStatuses),
          frontend_ms: responseTime.meta({ description: 'null: no valid answer' }),
          backend_ms: responseTime,
          proxy_ms: responseTime.meta({ description: 'null: no valid answer or no site' }),
        }),
      )
      .meta({ description: 'Oldest first' }),
  })
  .meta({ id: 'HealthHistory' });
export type HealthHistory = z.output<typeof healthHistory>;
