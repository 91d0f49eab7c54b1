import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, notFound } from '../../../lib/errors.ts';
import { rm } from '../../../lib/files/changes.ts';
import type { OperationDefinition, StepContext } from '../../../lib/operations/operation.ts';
import { spaceOf } from '../../tenants/tenant.ts';
import { duplicateCount, type Progress, type Retry } from '../job.ts';
import type { JobStreams } from '../job-streams.ts';
import type { ImportsDeps } from '../list-imports.ts';
import { partMappings } from '../rows/files/part-columns.ts';
import { convertList, type WorkerPool } from '../rows/run-task.ts';
import type { ListPart } from '../rows/tasks.ts';
import type { ImportJob } from '../store.ts';
import type { ListFiles } from '../upload/files.ts';
import { assertMapped, type CheckRows, type MappedList, sourceOf } from '../validation/validation.ts';
import { type ImportInput, type ImportState, importFileName, importInput, importState } from './import-state.ts';
import { collectErrors, keepRefusals } from './refusals.ts';
import { sendPart } from './send-part.ts';

type Context = StepContext<ImportInput, ImportState>;

/** A list's way into the tenant: part after part, each written down before the next. */
export function importOperation(
  {
    files,
    streams,
    pool,
    checkRows,
  }: {
    files: ListFiles;
    streams: JobStreams;
    pool: WorkerPool;
    checkRows: CheckRows;
  },
  deps: ImportsDeps,
): OperationDefinition<ImportInput, ImportState> {
  const { jobs, tenants, writeAuditLog, clock, logger, runtime, settings } = deps;

  async function jobOf({ input }: Context): Promise<MappedList> {
    const job = await jobs.find(input.jobId);
    if (!job) throw notFound('import job', input.jobId);
    assertMapped(job);
    return job;
  }

  async function importParts(context: Context): Promise<undefined> {
    const job = await jobOf(context);
    const { input, signal } = context;
    const directory = files.work(job.id);
    const removals: Promise<void>[] = [];
    /** Parts whose file is still with the tenant. */
    const left: number[] = [];
    // Recreates what an interrupted start left.
    await rm(directory, { recursive: true, force: true });
    const { part, processed } = context.state;
    const choice = context.input.duplicatesInFile;
    await removeFile(context, part - 1);
    const { duplicates } = await convertList(
      {
        ...(await sourceOf(job, files, settings)),
        directory,
        rowsPerPart: deps.rowsPerPart,
        originals: true,
        from: { part, row: processed + 1 },
        ...(choice ? { duplicates: { choice, rowCount: job.rowCount } } : {}),
      },
      {
        signal,
        async onPart(made) {
          await importPart(context, job, made);
          removals.push(removeFile(context, made.number).then((gone) => void (gone || left.push(made.number))));
          await rm(join(directory, made.file));
        },
      },
    );
    await Promise.all(removals);
    for (const part of left) await removeFile(context, part);
    // Rows after the last part: rejected, or duplicates.
    const { processed: done, failed, duplicates: before } = context.state;
    await context.save({
      processed: job.rowCount,
      duplicates: before + duplicates,
      failed: failed + Math.max(0, job.rowCount - done - duplicates),
    });
    await saveProgress(context, job);
    context.log(`${context.state.sent} rows handed to the tenant, ${input.batchId}`);
    return undefined;
  }

  async function importPart(context: Context, job: MappedList, part: ListPart): Promise<void> {
    const { input, state, subject } = context;
    const file = {
      path: join(files.work(job.id), part.file),
      name: importFileName(input, part.number),
      rows: part.rows.length,
    };
    const body = {
      mappings: partMappings(job.mappings, job.layout.headers, true),
      batch_id: input.batchId,
      list_name: input.listName,
      skip_duplicates: input.skipDuplicates,
      update_existing: input.updateExisting,
      tags: input.tags,
      part: part.number,
      row_offset: state.sent,
      import_source: input.listName,
      import_filename: job.filename,
      import_date: input.importDate,
    };
    const answer = await sendPart(subject, file, body, deps, {
      ...context,
      onRetry: (retry) => saveProgress(context, job, retry),
    });
    await keepRefusals(files, job.id, part, answer.errors);
    const processed = part.rows.at(-1) ?? state.processed;
    const rejected = processed - state.processed - part.rows.length - part.duplicates;
    await context.save({
      part: part.number + 1,
      processed,
      sent: state.sent + part.rows.length,
      imported: state.imported + answer.imported,
      updated: state.updated + answer.updated,
      duplicates: state.duplicates + answer.duplicates + part.duplicates,
      failed: state.failed + rejected + answer.failed,
    });
    await saveProgress(context, job);
  }

  async function saveProgress({ state }: Context, job: ImportJob, retry?: Retry): Promise<void> {
    const progress = { ...progressOf(state, job), ...(retry ? { retry } : {}) };
    // For display only; the operation's journal is authoritative.
    await jobs.update(job.id, { progress }, ['importing']).catch((error: unknown) => {
      logger.warn({ job: job.id, message: messageOf(error) }, 'how far an import has got could not be kept');
    });
    streams.progress({ ...job, status: 'importing', progress });
  }

  /** Returns whether it is gone. Never throws: it runs concurrently with the next part and is not awaited. */
  async function removeFile({ input, subject }: Context, part: number): Promise<boolean> {
    if (part < 1) return true;
    try {
      const tenant = await tenants.find(subject);
      if (tenant) await runtime.removeImportFile(spaceOf(tenant), importFileName(input, part));
      return true;
    } catch (error) {
      logger.warn({ job: input.jobId, part, message: messageOf(error) }, 'an imported file could not be removed');
      return false;
    }
  }

  return {
    kind: 'import',
    steps: [
      {
        name: 'Check rows',
        async skip(context) {
          const { validation, id } = await jobOf(context);
          const there = access(files.rejected(id)).then(
            () => true,
            () => false,
          );
          return validation && (await there) ? 'checked before' : undefined;
        },
        async run(context) {
          const job = await jobOf(context);
          const onRows = (rows: number): void => streams.checking(job, rows);
          try {
            const { validation } = await pool.run(context.signal, () => checkRows(job, context.signal, onRows));
            await jobs.update(job.id, { validation });
          } finally {
            streams.checking(job, null);
          }
          return undefined;
        },
      },
      { name: 'Import', run: importParts },
      {
        name: 'Collect errors',
        async run(context) {
          await collectErrors(files, await jobOf(context), context.signal);
          return undefined;
        },
      },
    ],
    parseInput: (value) => importInput.parse(value),
    parseState: (value) => importState.parse(value),

    async settle(context, { outcome, error }) {
      const { input, state } = context;
      const job = await jobs.find(input.jobId);
      const tenant = await tenants.find(context.subject);
      if (!job || !tenant) return;
      if (outcome !== 'success') {
        // The part under way, and the one before it: its removal may have been cut off.
        for (const part of [state.part, state.part - 1]) await removeFile(context, part);
        await collectErrors(files, job, context.signal).catch((failure: unknown) =>
          logger.warn({ job: job.id, message: messageOf(failure) }, 'the errors of an import could not be collected'),
        );
      }
      for (const path of [files.work(job.id), files.refusals(job.id)]) await rm(path, { recursive: true, force: true });
      const progress = progressOf(state, job);
      const result = {
        ...progress,
        batch_id: input.batchId,
        imported: state.imported,
        ...(outcome === 'success' ? { duplicates_in_file: duplicatesInFile(input, state, job) } : {}),
        ...(outcome === 'success'
          ? {}
          : { error: outcome === 'cancelled' ? 'Cancelled' : (error?.message ?? 'Failed') }),
        started_at: input.importDate,
        finished_at: clock.now().toISOString(),
      };
      const status = outcome === 'success' ? 'completed' : 'failed';
      await jobs.update(job.id, { status, progress, result }, ['importing']);
      await writeAuditLog({
        level: outcome === 'failed' ? 'error' : 'info',
        category: 'system',
        topic: 'import',
        message: `Import of ${job.filename}: ${outcome}${result.error ? `, ${result.error}` : ''}`,
        tenant,
        details: { job_id: job.id, outcome, created_by: input.createdBy, ...result },
      });
      streams.complete({ ...job, status, progress, result });
    },
  };
}

/** At most the number the tenant reports: its application may match people by another rule. */
function duplicatesInFile(input: ImportInput, state: ImportState, { validation }: ImportJob): number {
  if (!validation) return 0;
  const found = duplicateCount(validation);
  if (input.duplicatesInFile) return Math.min(found, state.duplicates);
  if (!(input.skipDuplicates || input.updateExisting)) return 0;
  return Math.min(found, input.updateExisting ? state.updated : state.duplicates);
}

const progressOf = (state: ImportState, { rowCount }: ImportJob): Progress => ({
  total: rowCount,
  processed: state.processed,
  success: state.imported + state.updated,
  failed: state.failed,
  duplicates: state.duplicates,
  updated: state.updated,
});
