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
        access: 'view',
        query: historyQuery,
        responses: { 200: { schema: listOf('templates', templateBody) } },
      },
      async ({ query, principal }) => {
        const { items, total } = await templates.list(query);
        return { templates: items.map((template) => shownTemplate(template, principal.role)), total, ...query };
      },
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/import-templates',
        tag,
        summary: 'Save mappings as a template',
        description: 'Pass `mappings`, or `job_id` for the mappings of a list.',
        access: 'operate',
        body: newTemplate,
        responses: { 201: { schema: templateBody } },
        errors: ['not_found', 'mapping_incomplete', 'job_not_ready'],
      },
      async ({ body, principal }) => shownTemplate(await templates.create(body, principal), principal.role),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/import-templates/{id}',
        tag,
        summary: 'One template',
        access: 'view',
        responses: { 200: { schema: templateBody } },
      },
      async ({ params, principal }) => shownTemplate(await templates.get(params.id), principal.role),
    ),
    defineRoute(
      {
        method: 'put',
        path: '/api/import-templates/{id}',
        tag,
        summary: 'Change a template',
        access: 'operate',
        body: templateChanges,
        responses: { 200: { schema: templateBody } },
        errors: ['mapping_incomplete'],
      },
      async ({ params, body, principal }) =>
        shownTemplate(await templates.update(params.id, body, principal), principal.role),
    ),
    defineRoute(
      {
        method: 'delete',
        path: '/api/import-templates/{id}',
        tag,
        summary: 'Delete a template',
        access: 'operate',
        responses: { 200: { schema: z.object({ message: z.string() }) } },
      },
      async ({ params, principal }) => {
        await templates.remove(params.id, principal);
        return { message: 'Template deleted' };
      },
    ),
  ];
}
