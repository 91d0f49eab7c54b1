import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import type { Tenants } from '../tenants/tenants.ts';
import type { createAvailability } from './availability/availability.ts';
import type { createMeasurements } from './measurements.ts';
import {
  availabilityReport,
  fleetAvailability,
  fleetQuery,
  metricsAnswer,
  metricsQuery,
  reportQuery,
  tenantAvailability,
} from './schema.ts';

const common = { method: 'get', tag: 'History' } as const;
const kept =
  'Kept for two hours by 10 seconds, a day by minutes, 31 days by hours and 400 days by days (UTC). A crash loses about the last minute.';

interface History {
  measurements: ReturnType<typeof createMeasurements>;
  availability: ReturnType<typeof createAvailability>;
  tenants: Pick<Tenants, 'get'>;
}

export function historyRoutes({ measurements, availability, tenants }: History): Route[] {
  const metrics = { ...common, query: metricsQuery, responses: { 200: { schema: metricsAnswer } } } as const;
  return [
    defineRoute(
      {
        ...metrics,
        path: '/api/tenants/{id}/metrics',
        access: 'view',
        summary: 'Get the measurements of a tenant',
        description: kept,
        errors: ['not_found'],
      },
      async ({ params, query }) => measurements({ kind: 'tenant', id: (await tenants.get(params.id)).id }, query),
    ),
    defineRoute(
      {
        ...metrics,
        path: '/api/system/nodes/{id}/metrics',
        access: 'operate',
        summary: 'Get the measurements of a node',
        description: `For runtimes of one host, \`local\` is the manager’s host. Empty for an unknown node. ${kept}`,
      },
      ({ params, query }) => measurements({ kind: 'node', id: params.id }, query),
    ),
    defineRoute(
      {
        ...metrics,
        path: '/api/system/metrics',
        access: 'operate',
        summary: 'Get the measurements of the manager',
        description: kept,
      },
      ({ query }) => measurements({ kind: 'manager', id: '' }, query),
    ),
    defineRoute(
      {
        ...common,
        path: '/api/tenants/{id}/availability',
        access: 'view',
        summary: 'Get the availability of a tenant',
        description: 'By its health checks; times without checks, or in which it was stopped on purpose, don’t count.',
        responses: { 200: { schema: tenantAvailability } },
        errors: ['not_found'],
      },
      ({ params }) => availability.of(params.id),
    ),
    defineRoute(
      {
        ...common,
        path: '/api/availability',
        access: 'view',
        summary: 'Get the availability of all tenants in the last days',
        query: fleetQuery,
        responses: { 200: { schema: fleetAvailability } },
      },
      ({ query }) => availability.ofFleet(query.days),
    ),
    defineRoute(
      {
        ...common,
        path: '/api/reports/availability',
        access: 'view',
        summary: 'Get the availability report of a month',
        description: 'The lowest availability first. Days and months are those of UTC.',
        query: reportQuery,
        responses: { 200: { schema: availabilityReport } },
      },
      ({ query }) => availability.report(query.month),
    ),
  ];
}
