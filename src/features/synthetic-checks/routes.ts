import type { Actor } from '../../adapters/events/audit-log-entry.ts';
import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import { type SyntheticChecksBody, syntheticChecksBody } from './schema.ts';

const tag = 'Health';

interface Checks {
  body(tenantId: string): Promise<SyntheticChecksBody>;
  run(tenantId: string, actor: Actor): Promise<SyntheticChecksBody>;
}

export function syntheticCheckRoutes(checks: Checks): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/synthetic-checks',
        tag,
        summary: 'Get a tenant’s checks with a user’s steps and their last results',
        description: '`checks` in `tenant.yaml` of the running release names them.',
        access: 'view',
        responses: { 200: { schema: syntheticChecksBody } },
        errors: ['not_found'],
      },
      ({ params }) => checks.body(params.id),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/synthetic-checks/run',
        tag,
        summary: 'Run a tenant’s checks with a user’s steps now',
        description:
          'Responds when they have ended: after two minutes at most, plus cleanup. A failed check is a result, not an error. If an operation on the tenant started in the meantime, the result is discarded.',
        access: 'operate',
        responses: { 200: { schema: syntheticChecksBody } },
        errors: ['not_found', 'not_deployed', 'invalid_state', 'operation_in_progress'],
      },
      ({ params, principal }) => checks.run(params.id, principal),
    ),
  ];
}
