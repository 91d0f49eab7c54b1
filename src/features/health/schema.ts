import { z } from 'zod';
import { timestamp } from '../../lib/http/routing/formats.ts';
import { healthStatuses } from '../tenants/tenants.ts';

const pageCheck = z.object({
  status: z.enum(['up', 'down']),
  response_time_ms: z.int().min(0).nullable().meta({ description: 'null where there was no answer' }),
  status_code: z.int().nullable(),
  error: z.string().optional().meta({ description: 'Why it is down; or, where it is up, what else is wrong with it' }),
});
export type PageCheck = z.output<typeof pageCheck>;

const databaseCheck = z.object({
  status: z.enum(['healthy', 'unhealthy', 'down']),
  size_mb: z.number().min(0).nullable().meta({ description: 'null where it can’t be known' }),
  connections: z.int().min(0).nullable().meta({ description: 'null where there is no such thing' }),
  error: z.string().optional(),
});

const serviceState = z.enum(['active', 'inactive']);

const servicesCheck = z.object({
  frontend_service: serviceState,
  backend_service: serviceState,
  error: z.string().optional().meta({ description: 'Why a service is inactive' }),
});
export type ServicesCheck = z.output<typeof servicesCheck>;

export const healthChecks = z.object({
  frontend: pageCheck,
  backend: pageCheck,
  database: databaseCheck,
  services: servicesCheck,
  proxy: pageCheck.optional().meta({
    description:
      'Both host names through the reverse proxy, the worse answer of the two; left out where there is no site',
  }),
});
export type HealthChecks = z.output<typeof healthChecks>;

const certificate = z.object({
  not_after: timestamp,
  days_left: z.int().meta({ description: 'Whole days; negative once it has expired' }),
  issuer: z.string(),
  error: z.string().optional().meta({ description: 'It expires soon, or has' }),
});
export type CertificateCheck = z.output<typeof certificate>;

/** What `GET health` and `POST health-check` answer. */
export const healthReport = z
  .object({
    tenant_id: z.uuid(),
    overall_status: z.enum(healthStatuses),
    checks: healthChecks,
    certificate: certificate.nullable().meta({ description: 'null where there is none that the manager knows of' }),
    last_check: timestamp,
  })
  .meta({ id: 'HealthReport' });
export type HealthReport = z.output<typeof healthReport>;

const answerTime = z.int().min(0).nullable();

/** What `GET health/history` answers. */
export const healthHistory = z
  .object({
    tenant_id: z.uuid(),
    checks: z
      .array(
        z.object({
          at: timestamp,
          overall_status: z.enum(healthStatuses),
          frontend_ms: answerTime.meta({ description: 'null where it did not answer as it should' }),
          backend_ms: answerTime,
          proxy_ms: answerTime.meta({ description: 'null also where there is no site' }),
        }),
      )
      .meta({ description: 'Oldest first' }),
  })
  .meta({ id: 'HealthHistory' });
export type HealthHistory = z.output<typeof healthHistory>;
