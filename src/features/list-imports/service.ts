import { access } from 'node:fs/promises';
import type { Actor } from '../../adapters/events/audit-log-entry.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import { audit, type JobStatus, statusSentence } from './job.ts';
import type { JobStreams } from './job-streams.ts';
import type { Learning } from './learning/learned.ts';
import type { ImportsDeps } from './list-imports.ts';
import type { FieldMapping } from './mapping/field-mapping.ts';
import type { ImportJob } from './store.ts';
import { applyTemplate } from './templates/match-template.ts';
import type { Templates } from './templates/templates.ts';
import { type ListFiles, type ListSample, removed } from './upload/files.ts';
import { assertComplete, checkMappings } from './validation/check-mappings.ts';

/** States in which nothing works on a list. */
export const settled: readonly JobStatus[] = ['pending', 'ready', 'completed', 'failed'];

export type ListService = ReturnType<typeof createListService>;

/** Lists of tenants, up to the point where they are imported. */
export function createListService(
  {
    files,
    streams,
    templates,
    learning,
  }: { files: ListFiles; streams: JobStreams; templates: Templates; learning: Learning },
  deps: ImportsDeps,
) {
  const { jobs, tenants, writeAuditLog, engine } = deps;

  /** @throws AppError not_found, also for another tenant's */
  async function get(tenantId: string, id: string): Promise<ImportJob> {
    await tenants.get(tenantId);
    const job = await jobs.find(id);
    if (job?.tenantId !== tenantId) throw notFound('import job', id);
    return job;
  }

  /** @throws AppError not_found; invalid_state where the file is gone */
  async function withFile(tenantId: string, id: string): Promise<ImportJob> {
    const job = await get(tenantId, id);
    if (job.fileRemovedAt) throw removed(job);
    return job;
  }

  /** A change of mappings or cells: what was found without it no longer counts. */
  async function change(job: ImportJob, changes: Partial<ImportJob>, when: readonly JobStatus[]): Promise<ImportJob> {
    const changed: Partial<ImportJob> = { ...changes, status: 'ready', validation: null };
    if (!(await jobs.update(job.id, changed, when))) throw busy(await get(job.tenantId, job.id));
    await files.forgetChecks(job.id);
    const after = await get(job.tenantId, job.id);
    streams.progress(after);
    return after;
  }

  return {
    get,
    withFile,

    /** What was found so far no longer counts. @throws AppError invalid_state while it is worked on */
    invalidate: (job: ImportJob): Promise<ImportJob> => change(job, {}, ['ready', 'completed', 'failed']),

    async list(tenantId: string, paging: Paging): Promise<Page<ImportJob>> {
      await tenants.get(tenantId);
      return jobs.list(tenantId, paging);
    },

    /** How it was read, and its first rows. @throws AppError invalid_state where the file is gone */
    async preview(tenantId: string, id: string): Promise<{ job: ImportJob; sample: ListSample }> {
      const job = await withFile(tenantId, id);
      return { job, sample: await files.sample(job) };
    },

    /** Starts to suggest mappings. @throws AppError invalid_state, operation_in_progress */
    async analyze(tenantId: string, id: string, actor: Actor): Promise<ImportJob> {
      const job = await withFile(tenantId, id);
      const before: JobStatus = job.status;
      if (!(await jobs.update(id, { status: 'analyzing' }, ['pending', 'ready', 'failed'])))
        throw busy(await get(tenantId, id));
      try {
        await engine.submit('analyze', id, { jobId: id });
      } catch (error) {
        await jobs.update(id, { status: before }, ['analyzing']);
        throw error;
      }
      const analyzing = { ...job, status: 'analyzing' as const };
      streams.progress(analyzing);
      await writeAuditLog(audit(await tenants.get(tenantId), job, actor, 'asked for mappings of a list'));
      return analyzing;
    },

    /** @throws AppError validation_error naming each entry, mapping_incomplete, invalid_state while it is imported */
    async setMappings(tenantId: string, id: string, given: FieldMapping[], actor: Actor): Promise<ImportJob> {
      const job = await withFile(tenantId, id);
      const mappings = checkMappings(given, job.layout.headers);
      const after = await change(job, { mappings, mappingWarnings: [], templateId: null }, [...settled, 'analyzing']);
      await writeAuditLog(audit(await tenants.get(tenantId), job, actor, 'set the mappings of a list'));
      if (job.mappings && job.layout.headerRow !== null) {
        const { rows } = await files.sample(job);
        await learning.learn({ headers: job.layout.headers, rows }, job.mappings, given, actor);
      }
      return after;
    },

    /** @throws AppError not_found, invalid_state */
    async applyTemplate(tenantId: string, id: string, templateId: string, actor: Actor): Promise<ImportJob> {
      const job = await withFile(tenantId, id);
      const template = await templates.get(templateId);
      const { mappings, warnings } = applyTemplate(template, job.layout.headers, job.mappings ?? []);
      const changes = { mappings, mappingWarnings: [...warnings, ...incomplete(mappings)], templateId };
      const after = await change(job, changes, [...settled, 'analyzing']);
      await writeAuditLog(
        audit(await tenants.get(tenantId), job, actor, 'applied an import template', { template_id: templateId }),
      );
      return after;
    },

    /** What the last validation found. @throws AppError job_not_ready before one, invalid_state where the file is gone */
    async findings(tenantId: string, id: string) {
      const job = await withFile(tenantId, id);
      const found = job.validation && (await files.findings(id));
      if (!job.validation || !found) throw notValidated(job);
      return { job, validation: job.validation, ...found };
    },

    /** The file with the rejected rows. @throws AppError job_not_ready before a validation, invalid_state if the file is missing */
    async errorsFile(tenantId: string, id: string): Promise<{ job: ImportJob; path: string }> {
      const job = await withFile(tenantId, id);
      // Without a validation that counts, the rejected rows are those of other mappings.
      for (const path of [files.errors(id), ...(job.validation ? [files.rejected(id)] : [])]) {
        if (
          await access(path).then(
            () => true,
            () => false,
          )
        )
          return { job, path };
      }
      throw notValidated(job);
    },

    /** @throws AppError invalid_state while it is worked on */
    async remove(tenantId: string, id: string, actor: Actor): Promise<void> {
      const job = await get(tenantId, id);
      assertSettled(job);
      // The row first: it must never name a missing file. Housekeeping removes files without a row.
      await jobs.remove(id);
      streams.forget(id);
      await files.remove(id);
      await writeAuditLog(audit(await tenants.get(tenantId), job, actor, 'deleted a list'));
    },
  };
}

const busy = (job: ImportJob): AppError =>
  new AppError('invalid_state', `${statusSentence(job)}; this is not possible then`);

const notValidated = ({ filename }: ImportJob): AppError =>
  new AppError('job_not_ready', `The list “${filename}” is not validated yet: validate it first`);

/** @throws AppError invalid_state while a list is worked on */
export function assertSettled(job: ImportJob): void {
  if (!settled.includes(job.status)) throw busy(job);
}

function incomplete(mappings: readonly FieldMapping[]): string[] {
  try {
    assertComplete(mappings);
    return [];
  } catch (error) {
    return [`${(error as AppError).message}.`];
  }
}
