import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import { type HealthHistory, type HealthReport, healthHistory, healthReport } from './schema.ts';

const tag = 'Health';

interface Checks {
  last(tenantId: string): Promise<HealthReport>;
  check(tenantId: string): Promise<HealthReport>;
  history(tenantId: string): Promise<HealthHistory>;
}

export function healthRoutes(health: Checks): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/health',
        tag,
        summary: 'The last health check of a tenant',
        description:
          'Makes one where there is none. A tenant that was never deployed, or that is stopped, is `unknown`; so is one whose services do not answer during an operation that works on it.',
        access: 'view',
        responses: { 200: { schema: healthReport } },
        errors: ['not_found'],
      },
      ({ params }) => health.last(params.id),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/health-check',
        tag,
        summary: 'Check the health of a tenant now',
        access: 'operate',
        responses: { 200: { schema: healthReport } },
        errors: ['not_found'],
      },
      ({ params }) => health.check(params.id),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/health/history',
        tag,
        summary: 'The last health checks of a tenant, and how fast it answered',
        description:
          'The last 120 checks, also those of up to a day before the manager was started anew (a crash loses five minutes). Changes of the status stay in the journal: `GET /api/logs?category=health_check`.',
        access: 'view',
        responses: { 200: { schema: healthHistory } },
        errors: ['not_found'],
      },
      ({ params }) => health.history(params.id),
    ),
  ];
}
