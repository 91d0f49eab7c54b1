import { z } from 'zod';
import { listOf } from '../../../lib/http/routing/paging.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { historyQuery } from '../schema.ts';
import { newTemplate, shownTemplate, templateBody, templateChanges } from './template-schema.ts';
import type { Templates } from './templates.ts';

const tag = 'Import templates';

/** Templates of mappings, for all tenants. */
export function templateRoutes(templates: Templates): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/import-templates',
        tag,
        summary: 'Templates of mappings, newest first',
        access: 'viewer',
        query: historyQuery,
        response: { schema: listOf('templates', templateBody) },
      },
      async ({ query }) => {
        const { items, total } = await templates.list(query);
        return { templates: items.map(shownTemplate), total, ...query };
      },
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/import-templates',
        tag,
        summary: 'Keep mappings as a template',
        description: 'Given as `mappings`, or those of the list `job_id`.',
        access: 'operator',
        status: 201,
        body: newTemplate,
        response: { schema: templateBody },
        errors: ['not_found', 'mapping_incomplete', 'job_not_ready'],
      },
      async ({ body, principal }) => shownTemplate(await templates.create(body, principal)),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/import-templates/{id}',
        tag,
        summary: 'One template',
        access: 'viewer',
        response: { schema: templateBody },
      },
      async ({ params }) => shownTemplate(await templates.get(params.id)),
    ),
    defineRoute(
      {
        method: 'put',
        path: '/api/import-templates/{id}',
        tag,
        summary: 'Change a template',
        access: 'operator',
        body: templateChanges,
        response: { schema: templateBody },
        errors: ['mapping_incomplete'],
      },
      async ({ params, body, principal }) => shownTemplate(await templates.update(params.id, body, principal)),
    ),
    defineRoute(
      {
        method: 'delete',
        path: '/api/import-templates/{id}',
        tag,
        summary: 'Delete a template',
        access: 'operator',
        response: { schema: z.object({ message: z.string() }) },
      },
      async ({ params, principal }) => {
        await templates.remove(params.id, principal);
        return { message: 'Template deleted' };
      },
    ),
  ];
}
