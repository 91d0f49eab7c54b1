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
        summary: 'Get the last health check of a tenant',
        description:
          'Runs a check if there is none yet. The status is `unknown` for a tenant that was never deployed or is stopped, and while its services don’t answer during an operation.',
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
        summary: 'Get the last health checks of a tenant and its response times',
        description:
          'The last 120 checks, including those from up to a day before the manager restarted (a crash loses up to five minutes). The log keeps all changes of the status: `GET /api/logs?category=health_check`.',
        access: 'view',
        responses: { 200: { schema: healthHistory } },
        errors: ['not_found'],
      },
      ({ params }) => health.history(params.id),
    ),
  ];
}
