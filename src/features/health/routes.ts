import { defineRoute, type Route } from '../../platform/http/route.ts';
import { type HealthReport, healthReport } from './schema.ts';

const tag = 'Health';

interface Checks {
  last(tenantId: string): Promise<HealthReport>;
  check(tenantId: string): Promise<HealthReport>;
}

export function healthRoutes(health: Checks): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/health',
        tag,
        summary: 'The last health check of a tenant',
        description: 'Makes one where there is none. A tenant that was never deployed is `unknown`.',
        access: 'viewer',
        response: { schema: healthReport },
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
        access: 'operator',
        response: { schema: healthReport },
        errors: ['not_found'],
      },
      ({ params }) => health.check(params.id),
    ),
  ];
}
