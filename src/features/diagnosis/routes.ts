import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import { type Diagnosis, diagnosis } from './schema.ts';

export function diagnosisRoutes(of: (tenantId: string) => Promise<Diagnosis>): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/diagnosis',
        tag: 'Health',
        summary: 'Get why a tenant is not well',
        description:
          'Checks the tenant and reads what the engine, the log, the reverse proxy, DNS and the manager’s records say, each within seconds. ' +
          'The answer is the first cause, not its effects, and is reused for three seconds. Without a cause, `known` is true for a tenant ' +
          'that is well, and false where the facts do not show the cause.',
        access: 'view',
        responses: { 200: { schema: diagnosis } },
        errors: ['not_found'],
      },
      ({ params }) => of(params.id),
    ),
  ];
}
