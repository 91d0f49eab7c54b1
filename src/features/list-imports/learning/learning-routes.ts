import { z } from 'zod';
import { timestamp, toTimestamp } from '../../../lib/http/routing/formats.ts';
import { listOf } from '../../../lib/http/routing/paging.ts';
import { may } from '../../../lib/http/routing/roles.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { transforms } from '../mapping/transforms.ts';
import { hideHeaders, historyQuery } from '../schema.ts';
import type { Learning } from './learned.ts';

const tag = 'List loader';
const learnedBody = z
  .object({
    id: z.string(),
    source: z.string().meta({ description: 'The column’s header' }),
    value_kind: z.string().meta({ description: 'What its values look like' }),
    target: z.string(),
    transform: z.enum(transforms).nullable(),
    created_at: timestamp,
    created_by: z.string(),
  })
  .meta({ id: 'LearnedMapping' });

/** What the manager has learned from the mappings that users changed. */
export function learningRoutes(learning: Learning): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/learned-mappings',
        tag,
        summary: 'Mappings learned from users’ choices, newest first',
        description:
          'For all tenants. They are suggested for columns with the same header and the same kind of values.',
        access: 'view',
        query: historyQuery,
        responses: { 200: { schema: listOf('mappings', learnedBody) } },
      },
      async ({ query, principal }) => {
        const { items, total } = await learning.list(query);
        const visible = may(principal.role, 'operate') ? items : hideHeaders(items);
        const mappings = visible.map(({ id, source, valueKind, target, transform, createdAt, createdBy }) => ({
          id,
          source,
          value_kind: valueKind,
          target,
          transform,
          created_at: toTimestamp(createdAt),
          created_by: createdBy,
        }));
        return { mappings, total, ...query };
      },
    ),
    defineRoute(
      {
        method: 'delete',
        path: '/api/learned-mappings/{id}',
        tag,
        summary: 'Forget a learned mapping',
        description: 'Lists that have it keep it.',
        access: 'operate',
        responses: { 200: { schema: z.object({ message: z.string() }) } },
      },
      async ({ params, principal }) => {
        await learning.forget(params.id, principal);
        return { message: 'Mapping forgotten' };
      },
    ),
  ];
}
