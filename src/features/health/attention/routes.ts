import { z } from 'zod';
import { timestamp, toTimestamp, toTimestampOrNull } from '../../../lib/http/routing/formats.ts';
import { may } from '../../../lib/http/routing/roles.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import type { SystemProblem } from '../system/problems.ts';
import { systemProblem } from '../system/schema.ts';
import { type Attention, attentionKinds } from './attention.ts';

const attention = z
  .object({
    items: z.array(
      z.object({
        kind: z.enum(attentionKinds),
        tenant: z.object({ id: z.uuid(), name: z.string(), slug: z.string() }),
        cause: z.string(),
        since: timestamp.nullable().meta({ description: 'null: unknown' }),
        operation_id: z.uuid().nullable().meta({ description: 'The failed deployment, upgrade, move or backup' }),
      }),
    ),
    behind: z
      .object({
        count: z.int().meta({ description: 'Tenants for which a newer release is known' }),
        version: z.string().nullable().meta({ description: 'That release; null: not the same for all of them' }),
      })
      .nullable()
      .meta({ description: 'Tenants that could be upgraded; null: none' }),
    system: z
      .array(systemProblem)
      .meta({ description: 'What is wrong with the manager’s dependencies, for operators; the worst kind first' }),
    health: z
      .array(
        z.object({
          at: timestamp,
          checks: z.int(),
          unhealthy: z.int().meta({ description: 'Checks in which a tenant was unhealthy' }),
        }),
      )
      .meta({ description: 'The checks of all tenants in the last two hours, by five minutes' }),
  })
  .meta({ id: 'Attention' });

export function attentionRoutes(
  service: Attention,
  /** What is wrong with the manager's dependencies. */
  systemProblems: () => Promise<SystemProblem[]>,
): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/attention',
        tag: 'Health',
        summary: 'List what needs attention',
        description:
          'Of tenants: failed deployments, and of deployed ones failing health checks, services that do not run, failed and missing backups, ' +
          'certificates that expire, healthy ones whose host names lead elsewhere or whose application refuses the manager’s API key ' +
          '(diagnosed every 15 minutes), and tenants stopped in the last seven days. The most urgent kind first, then the newest. ' +
          'How many tenants could be upgraded. Of the manager: its engine, nodes, reverse proxy and disks.',
        access: 'view',
        responses: { 200: { schema: attention } },
      },
      async ({ principal }) => {
        const [{ items, behind }, system] = await Promise.all([
          service.collect(),
          may(principal.role, 'operate') ? systemProblems() : [],
        ]);
        return {
          items: items.map(({ kind, tenant, cause, since, operationId }) => ({
            kind,
            tenant,
            cause,
            since: toTimestampOrNull(since),
            operation_id: operationId,
          })),
          behind,
          system,
          health: service.periods().map(({ at, checks, unhealthy }) => ({ at: toTimestamp(at), checks, unhealthy })),
        };
      },
    ),
  ];
}
