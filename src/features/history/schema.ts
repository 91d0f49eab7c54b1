import { z } from 'zod';
import { timestamp } from '../../lib/http/routing/formats.ts';
import { rangeNames, steps } from './rollups/levels.ts';

const value = z.number().nullable();

/** The measurements of a subject. */
export const metricsAnswer = z
  .object({
    from: timestamp,
    to: timestamp,
    step: z.int().meta({ description: 'Length of a period, in seconds' }),
    at: z.array(z.int()).meta({
      description:
        'Where each period starts, in seconds since 1970, oldest first; periods without measurements are left out',
    }),
    series: z.array(
      z.object({
        name: z.string().meta({ description: 'The same as at `/metrics`', examples: ['tenantry_tenant_up'] }),
        unit: z.enum(['ratio', 'seconds', 'cores', 'bytes', 'count']),
        values: z
          .array(value)
          .meta({ description: 'By period: the average, or for restarts the sum; null: not measured' }),
        max: z.array(value).meta({ description: 'By period: the highest' }),
      }),
    ),
  })
  .meta({ id: 'MetricHistory' });

export const metricsQuery = z.object({
  range: z.enum(rangeNames).default('24h').meta({ description: 'Until now' }),
  step: z.coerce.number().pipe(z.literal(steps)).optional().meta({
    description: 'Length of a period, in seconds; default: 10 for 1h, 300 for 24h, 3600 for 7d and 30d, 86400 for 1y',
  }),
});

const percent = z.number().min(0).max(100).nullable().meta({
  description: 'Percentage of checks that found the tenant healthy or degraded, rounded down; null: no checks',
});
const share = z.object({ checks: z.int().min(0), percent });
const objective = z.number().meta({ description: 'The setting `availability_objective`, a percentage' });
const month = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
  .meta({ examples: ['2026-11'] });
const monthFigures = share.extend({
  budget: z.int().meta({ description: 'Seconds that a tenant may be down in the whole month' }),
  used: z.int().meta({ description: 'Seconds that it was down' }),
  left: z.int().meta({ description: 'Negative: the objective is missed' }),
});
const strip = z.array(percent).meta({ description: 'By day in UTC, today last' });
const named = z.object({ id: z.uuid(), name: z.string(), slug: z.string() });

export const tenantAvailability = z
  .object({
    tenant_id: z.uuid(),
    objective,
    last_24h: share,
    last_30d: share,
    last_90d: share,
    strip,
    month: monthFigures.extend({ name: month }),
  })
  .meta({ id: 'TenantAvailability' });

export const fleetAvailability = z
  .object({
    objective,
    fleet: share,
    lowest: z
      .array(share.extend({ tenant: named, strip }))
      .meta({ description: 'The tenants with the lowest availability, up to eight' }),
  })
  .meta({ id: 'FleetAvailability' });

export const fleetQuery = z.object({ days: z.coerce.number().int().min(1).max(365).default(90) });
export const reportQuery = z.object({ month });

export const availabilityReport = z
  .object({ month, objective, fleet: share, tenants: z.array(monthFigures.extend({ tenant: named })) })
  .meta({ id: 'AvailabilityReport' });
