import {
  type TenantPersonsCount,
  type TenantStats,
  tenantPersonsCount,
  tenantStats,
} from '../../adapters/tenant-api/schema.ts';
import { defineRoute, type Route } from '../../lib/http/routing/route.ts';

interface RemoteQueries {
  stats(tenantId: string): Promise<TenantStats>;
  personsCount(tenantId: string): Promise<TenantPersonsCount>;
}

const tag = 'Remote';

export function remoteRoutes(remote: RemoteQueries): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/remote/stats',
        tag,
        summary: 'Get the record counts that a tenant’s application reports',
        access: 'view',
        responses: { 200: { schema: tenantStats.meta({ id: 'TenantStats' }) } },
        errors: ['not_found', 'not_deployed', 'tenant_unreachable', 'tenant_error'],
      },
      ({ params }) => remote.stats(params.id),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/remote/persons/count',
        tag,
        summary: 'Get the number of persons that a tenant’s application reports',
        access: 'view',
        responses: { 200: { schema: tenantPersonsCount.meta({ id: 'TenantPersonsCount' }) } },
        errors: ['not_found', 'not_deployed', 'tenant_unreachable', 'tenant_error'],
      },
      ({ params }) => remote.personsCount(params.id),
    ),
  ];
}
