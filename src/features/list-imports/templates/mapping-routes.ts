import type { z } from 'zod';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { fieldGroups, personFieldEntries, personFields } from '../mapping/person-fields.ts';
import { transformEntries, transforms } from '../mapping/transforms.ts';
import { analyzeAnswer, mappingsAnswer, mappingsBody, visibleTo } from '../schema.ts';
import type { ListService } from '../service.ts';
import type { ImportJob } from '../store.ts';
import { unmappedOf } from '../validation/check-mappings.ts';
import { templateChoice } from './template-schema.ts';

const tag = 'List loader';

/** The mappings of a list's columns. */
export function mappingRoutes(lists: ListService): Route[] {
  return [
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/list-loader/{job_id}/analyze',
        tag,
        summary: 'Suggest mappings for a list’s columns',
        description:
          'Runs in the background; the status is `ready` when it ends. A list with the layout of a template gets the template’s mappings. Mappings set in the meantime stay.',
        access: 'operate',
        responses: { 202: { schema: analyzeAnswer } },
        errors: ['invalid_state', 'operation_in_progress'],
      },
      async ({ params, principal }) => {
        const { status } = await lists.analyze(params.id, params.job_id, principal);
        return { status, message: 'Suggesting mappings' };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/list-loader/{job_id}/mappings',
        tag,
        summary: 'The mappings of a list’s columns',
        access: 'view',
        responses: { 200: { schema: mappingsAnswer } },
      },
      async ({ params, principal }) =>
        shownMappings(visibleTo(principal.role, await lists.get(params.id, params.job_id))),
    ),
    defineRoute(
      {
        method: 'put',
        path: '/api/tenants/{id}/list-loader/{job_id}/mappings',
        tag,
        summary: 'Set the mappings of a list’s columns',
        description:
          'Replaces all mappings: a column that is not named is skipped. first_name and last_name are required. Two columns may fill one field only if both have the transform `join`.',
        access: 'operate',
        body: mappingsBody,
        responses: { 200: { schema: mappingsAnswer } },
        errors: ['mapping_incomplete', 'invalid_state'],
      },
      async ({ params, body, principal }) =>
        shownMappings(await lists.setMappings(params.id, params.job_id, body.mappings, principal)),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/list-loader/{job_id}/apply-template',
        tag,
        summary: 'Set the mappings of a list’s columns from a template',
        description: 'Columns are matched by similar headers; others keep their mappings.',
        access: 'operate',
        body: templateChoice,
        responses: { 200: { schema: mappingsAnswer } },
        errors: ['invalid_state'],
      },
      async ({ params, body, principal }) =>
        shownMappings(await lists.applyTemplate(params.id, params.job_id, body.template_id, principal)),
    ),
  ];
}

const catalogue: z.output<typeof mappingsAnswer>['catalogue'] = {
  groups: Object.entries(fieldGroups).map(([name, label]) => ({ name, label })),
  fields: personFields.map((name) => {
    const { label, group, required = false, maxLength, transform = 'none' } = personFieldEntries[name];
    return { name, label, group, required, max_length: maxLength, transform };
  }),
  transforms: transforms.map((name) => {
    const { label, fills = [], forCustomFields = false } = transformEntries[name];
    return { name, label, fills: [...fills], for_custom_fields: forCustomFields };
  }),
};

const shownMappings = ({ status, mappings, mappingWarnings, templateId }: ImportJob) => ({
  status,
  mappings: mappings ?? [],
  unmapped: unmappedOf(mappings ?? []),
  warnings: mappingWarnings ?? [],
  template_id: templateId,
  catalogue,
});
