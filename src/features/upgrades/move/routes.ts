import { z } from 'zod';
import { databaseKinds } from '../../../adapters/databases/tenant-database.ts';
import type { RuntimeKind } from '../../../adapters/runtimes/runtime.ts';
import { acceptedResponse, answerOrAccept, waitField } from '../../../lib/http/responses/accepted-response.ts';
import { defineRoute, type Route, reply } from '../../../lib/http/routing/route.ts';
import type { MovePlan } from './move.ts';
import type { MoveService } from './service.ts';

const tag = 'Moves';
const kinds = ['docker', 'swarm', 'systemd', 'process'] as const satisfies readonly RuntimeKind[];

const planBody = z
  .object({
    from: z.enum(kinds),
    to: z.enum(kinds),
    version: z.string().nullable(),
    commit: z.string(),
    running: z.boolean().meta({ description: 'Whether the services run, and will run after the move' }),
    database: z
      .object({
        from: z.enum(databaseKinds),
        to: z.enum(databaseKinds).nullable(),
        copied: z.boolean().meta({ description: 'False for data on a server that both runtimes use' }),
        size_mb: z.number().nullable(),
      })
      .nullable()
      .meta({ description: 'Null: the application has no database' }),
    at_origin: z.boolean().meta({
      description:
        'Whether services, data or a database of the tenant are at the origin, also stopped ones; after a move false once they are removed',
    }),
    problems: z.array(z.string()).meta({ description: 'Why the tenant can’t be moved now; empty: it can' }),
  })
  .meta({ id: 'MovePlan' });

const movedBody = z.object({ status: z.literal('moved'), deployment_id: z.uuid() }).meta({ id: 'Moved' });

const shownPlan = ({ database, atOrigin, ...plan }: MovePlan): z.input<typeof planBody> => ({
  ...plan,
  at_origin: atOrigin,
  database: database && {
    from: database.from,
    to: database.to,
    copied: database.copied,
    size_mb: database.sizeMb,
  },
});

export function moveRoutes(moves: MoveService): Route[] {
  return [
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/move',
        tag,
        summary: 'Move a tenant from a Docker engine to this manager’s runtime',
        description:
          'For managers with `MOVE_FROM_ENGINE`. The release is built here, the services at the origin are stopped, database and files are copied by a backup, and the services start here and are proven healthy. Its progress is a deployment of kind `move`. A failure or a cancellation starts the services at the origin again. What is at the origin stays there, stopped, until it is removed by `DELETE`. With `dry_run` the response says what would be done, and what prevents it.',
        access: 'administer',
        query: z.object({ wait: waitField }),
        body: z.strictObject({ dry_run: z.boolean().default(false) }),
        responses: { 200: { schema: z.union([movedBody, planBody]) }, 202: acceptedResponse },
        errors: [
          'not_deployed',
          'operation_in_progress',
          'invalid_state',
          'insufficient_storage',
          'runtime_unavailable',
          'tenant_error',
        ],
      },
      async ({ params, query, body, principal }) => {
        if (body.dry_run) return reply(200, shownPlan(await moves.plan(params.id)));
        const work = await moves.move(params.id, principal);
        return answerOrAccept(work, query.wait, () => reply(200, { status: 'moved' as const, deployment_id: work.id }));
      },
    ),
    defineRoute(
      {
        method: 'delete',
        path: '/api/tenants/{id}/move',
        tag,
        summary: 'Remove what a moved tenant left at its origin',
        description:
          'Removes its containers, volumes and its own database server from the Docker engine that `MOVE_FROM_ENGINE` names. Refused with `invalid_state` unless the tenant’s deployed version is here.',
        access: 'administer',
        responses: { 200: { schema: z.object({ removed: z.literal(true) }) } },
        errors: ['not_deployed', 'operation_in_progress', 'invalid_state', 'runtime_unavailable'],
      },
      async ({ params, principal }) => {
        await moves.removeLeftovers(params.id, principal);
        return { removed: true as const };
      },
    ),
  ];
}
