import type { z } from 'zod';
import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { statusSentence } from '../job.ts';
import type { ImportsDeps } from '../list-imports.ts';
import type { FieldMapping } from '../mapping/field-mapping.ts';
import type { ImportTemplate } from '../store.ts';
import { checkMappings } from '../validation/check-mappings.ts';
import type { newTemplate, templateChanges } from './template-schema.ts';

type NewTemplate = z.output<typeof newTemplate>;
type TemplateChanges = z.output<typeof templateChanges>;

export type Templates = ReturnType<typeof createTemplates>;

/** Templates of mappings, for all tenants. */
export function createTemplates({ templates, jobs, clock, writeAuditLog }: ImportsDeps) {
  /** @throws AppError not_found */
  async function get(id: string): Promise<ImportTemplate> {
    const template = await templates.find(id);
    if (!template) throw notFound('import template', id);
    return template;
  }

  async function mappingsOf({ mappings, job_id: jobId }: NewTemplate): Promise<FieldMapping[]> {
    if (mappings) return mappings;
    const job = jobId === undefined ? undefined : await jobs.find(jobId);
    if (!job) throw notFound('import job', jobId ?? '');
    if (!job.mappings) throw new AppError('job_not_ready', statusSentence(job));
    return job.mappings;
  }

  const audit = (actor: Actor, what: string, { id, name }: ImportTemplate, more: object = {}): Promise<void> =>
    writeAuditLog({
      level: 'info',
      category: 'audit',
      message: `${actor.username} ${what} the import template ${name}`,
      details: { user_id: actor.userId, username: actor.username, template_id: id, ...more },
    });

  return {
    list: templates.list,
    get,

    /** @throws AppError validation_error, mapping_incomplete; not_found, job_not_ready where it is made from a job */
    async create(input: NewTemplate, actor: Actor): Promise<ImportTemplate> {
      const now = clock.now();
      const template: ImportTemplate = {
        id: newId(),
        name: input.name,
        description: input.description || null,
        mappings: lasting(await mappingsOf(input)),
        createdAt: now,
        updatedAt: now,
        createdBy: actor.username,
      };
      await templates.insert(template);
      await audit(actor, 'made', template);
      return template;
    },

    /** @throws AppError not_found, validation_error, mapping_incomplete */
    async update(id: string, { name, description, mappings }: TemplateChanges, actor: Actor): Promise<ImportTemplate> {
      const before = await get(id);
      const template: ImportTemplate = {
        ...before,
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description: description || null }),
        ...(mappings === undefined ? {} : { mappings: lasting(mappings) }),
        updatedAt: clock.now(),
      };
      if (!(await templates.update(id, template))) throw notFound('import template', id);
      const renamed = template.name !== before.name && { name: { before: before.name, after: template.name } };
      await audit(actor, 'changed', template, renamed ? { changes: renamed } : {});
      return template;
    },

    /** @throws AppError not_found */
    async remove(id: string, actor: Actor): Promise<void> {
      const template = await get(id);
      await templates.remove(id);
      await audit(actor, 'deleted', template);
    },
  };
}

/** The part of mappings that a template stores: reasons and alternatives belong to one list. */
function lasting(mappings: readonly FieldMapping[]): FieldMapping[] {
  const checked = checkMappings(
    mappings,
    mappings.map(({ source }) => source),
  );
  return checked.map(({ source, target, confidence, transform }) => ({
    source,
    target,
    confidence,
    ...(transform === undefined ? {} : { transform }),
  }));
}
