import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { rename, rm } from '../../../lib/files/changes.ts';
import { writing } from '../../../lib/files/disk-full-error.ts';
import { newSecret } from '../../../lib/ids.ts';
import { readCorrections } from '../corrections/corrections.ts';
import { audit, statusSentence, type ValidationSummary } from '../job.ts';
import type { JobStreams } from '../job-streams.ts';
import type { ImportsDeps } from '../list-imports.ts';
import type { FieldMapping } from '../mapping/field-mapping.ts';
import { validateList, type WorkerPool } from '../rows/run-task.ts';
import type { ListSource, ValidateResult } from '../rows/tasks.ts';
import type { ImportJob } from '../store.ts';
import { type ListFiles, removed } from '../upload/files.ts';
import { assertComplete } from './check-mappings.ts';

/** A list whose mappings are whole. */
export interface MappedList extends ImportJob {
  mappings: FieldMapping[];
}

/** @throws AppError job_not_ready, mapping_incomplete, invalid_state where the file is gone */
export function assertMapped(job: ImportJob): asserts job is MappedList {
  if (job.fileRemovedAt) throw removed(job);
  if (job.status === 'analyzing')
    throw new AppError('job_not_ready', `${statusSentence(job)}: wait until that has ended`);
  if (!job.mappings || job.status === 'pending')
    throw new AppError('job_not_ready', `${statusSentence(job)}: have it analyzed, or set its mappings, first`);
  assertComplete(job.mappings);
}

/** How the threads read a list. */
export const sourceOf = async (
  job: MappedList,
  files: ListFiles,
  settings: Pick<ImportsDeps['settings'], 'region'>,
): Promise<ListSource> => ({
  path: job.filePath,
  layout: job.layout,
  mappings: job.mappings,
  corrections: await readCorrections(files, job),
  options: { region: await settings.region() },
});

export type CheckRows = ReturnType<typeof createCheckRows>;

/**
 * Checks every row of a list and writes down the rejected ones, and what was found. `onRows` is called with the rows read so far, a few
 * times a second.
 * @throws AppError unsupported_file; the signal's reason
 */
export function createCheckRows(files: ListFiles, { clock, settings }: Pick<ImportsDeps, 'clock' | 'settings'>) {
  return async (
    job: MappedList,
    signal: AbortSignal,
    onRows: (rows: number) => void,
  ): Promise<{ found: ValidateResult; validation: ValidationSummary }> => {
    // Written to a temporary file: concurrent downloads get the previous one.
    const aside = `${files.rejected(job.id)}.${newSecret(6)}.tmp`;
    try {
      const source = await sourceOf(job, files, settings);
      const task = { ...source, rowCount: job.rowCount, errorsPath: aside };
      const found = await validateList(task, { signal, onProgress: onRows });
      await rename(aside, files.rejected(job.id));
      await files.saveFindings(job.id, { errors: found.errors, warnings: found.warnings, cells: found.cells });
      const { total, valid_count, error_count, warning_count, summary } = found;
      const counts = { total, valid_count, error_count, warning_count, summary };
      return { found, validation: { ...counts, tenant_duplicates: null, validated_at: clock.now().toISOString() } };
    } finally {
      await rm(aside, { force: true });
    }
  };
}

export type ValidateJob = ReturnType<typeof createValidation>;

/**
 * Checks every row of a list; its findings are kept as a summary, the rejected rows in a file. `knownToTenant` counts the rows whose
 * persons the tenant already has; null if it can't check.
 * @throws AppError job_not_ready, mapping_incomplete, invalid_state, unsupported_file; not_found if it was deleted during the check; the
 * signal's reason
 */
export function createValidation(
  parts: {
    pool: WorkerPool;
    streams: JobStreams;
    checkRows: CheckRows;
    knownToTenant(job: MappedList, signal: AbortSignal): Promise<ValidationSummary['tenant_duplicates']>;
    files: ListFiles;
    /** Held while what belongs together is written. */
    changes: KeyedLock;
  },
  deps: ImportsDeps,
) {
  const { pool, streams, checkRows, knownToTenant, files, changes } = parts;
  const { jobs, tenants, writeAuditLog } = deps;
  const perJob = new KeyedLock();

  return (job: ImportJob, actor: Actor, signal: AbortSignal) =>
    perJob.run(job.id, async () => {
      assertMapped(job);
      if (job.status === 'importing') throw new AppError('invalid_state', statusSentence(job));
      const onRows = (rows: number): void => streams.checking(job, rows);
      const check = async () => {
        const checked = await pool.run(signal, () =>
          writing('the rejected rows', () => checkRows(job, signal, onRows)),
        );
        onRows(job.rowCount);
        return { checked, tenant_duplicates: await knownToTenant(job, signal) };
      };
      const corrections = await readCorrections(files, job);
      const outcome = await check().catch((error: unknown) => ({ error }));
      streams.checking(job, null);
      const validation = await changes.run(job.id, async () => {
        const present = await jobs.find(job.id);
        // Deleted during the check, with the files being written.
        if (!present) throw notFound('import job', job.id);
        if ('error' in outcome) throw outcome.error;
        const used = JSON.stringify([job.mappings, corrections]);
        if (JSON.stringify([present.mappings, await readCorrections(files, job)]) !== used)
          throw new AppError(
            'invalid_state',
            `The list “${job.filename}” was changed while its rows were checked; validate it again`,
          );
        const { checked, tenant_duplicates } = outcome;
        const found = { ...checked.validation, tenant_duplicates };
        await jobs.update(job.id, { validation: found }, ['ready', 'completed', 'failed']);
        return found;
      });
      if ('error' in outcome) throw outcome.error;
      const { checked, tenant_duplicates } = outcome;
      const { total, valid_count: valid, error_count: errors, warning_count: warnings } = validation;
      await writeAuditLog(
        audit(await tenants.get(job.tenantId), job, actor, 'validated a list', { total, valid, errors, warnings }),
      );
      return { ...checked.found, tenant_duplicates };
    });
}
