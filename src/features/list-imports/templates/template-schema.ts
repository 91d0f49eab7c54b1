import { z } from 'zod';
import { timestamp, toTimestamp } from '../../../lib/http/routing/formats.ts';
import { may, type Role } from '../../../lib/http/routing/roles.ts';
import { hideHeaders, mappingList, shownMapping } from '../schema.ts';
import type { ImportTemplate } from '../store.ts';

export const templateBody = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    mappings: z.array(shownMapping),
    created_at: timestamp,
    updated_at: timestamp,
    created_by: z.string(),
  })
  .meta({ id: 'ImportTemplate' });
const templateFields = {
  name: z.string().trim().min(1).max(200),
  description: z.string().trim().max(2_000).nullable().optional(),
};
export const newTemplate = z
  .strictObject({ ...templateFields, mappings: mappingList.optional(), job_id: z.string().max(64).optional() })
  .refine(({ mappings, job_id }) => (mappings === undefined) !== (job_id === undefined), {
    path: ['mappings'],
    message: 'Pass either mappings or the job_id of a list',
  })
  .meta({ id: 'NewImportTemplate' });
export const templateChanges = z
  .strictObject({ ...templateFields, mappings: mappingList })
  .partial()
  .meta({ id: 'ImportTemplateChanges' });
export const templateChoice = z.strictObject({ template_id: z.string().min(1).max(64) });

export const shownTemplate = (template: ImportTemplate, role: Role): z.input<typeof templateBody> => ({
  id: template.id,
  name: template.name,
  description: template.description,
  mappings: may(role, 'operate') ? template.mappings : hideHeaders(template.mappings),
  created_at: toTimestamp(template.createdAt),
  updated_at: toTimestamp(template.updatedAt),
  created_by: template.createdBy,
});
