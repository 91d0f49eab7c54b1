import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import { AppError } from '../../../lib/errors.ts';
import { writing } from '../../../lib/files/disk-full-error.ts';
import { audit } from '../job.ts';
import type { JobStreams } from '../job-streams.ts';
import type { ImportsDeps } from '../list-imports.ts';
import { assertSettled, type ListService, settled } from '../service.ts';
import { type ListFiles, removed } from './files.ts';
import type { InspectFile } from './inspect-file.ts';

/** How the user wants a list to be read. */
export interface Reading {
  /** The sheet read so far when left out. */
  sheet?: string | undefined;
  /** As a spreadsheet counts, null for a list without headers; found by the values when left out. */
  headerRow?: number | null | undefined;
}

export type Reparse = ReturnType<typeof createReparse>;

/**
 * Reads a list in another way than it was found to be: another sheet, headers in another row. Its columns may be others now, so mappings
 * and what was found with them are gone.
 * @throws AppError not_found; invalid_state while it is worked on, or where the file is gone; unsupported_file; validation_error naming
 * `sheet` or `header_row`; the signal's reason
 */
export function createReparse(
  {
    files,
    streams,
    lists,
    inspect,
  }: { files: ListFiles; streams: JobStreams; lists: ListService; inspect: InspectFile },
  deps: ImportsDeps,
) {
  const { jobs, tenants, writeAuditLog } = deps;

  return async (
    tenantId: string,
    id: string,
    { sheet, headerRow }: Reading,
    actor: Actor,
    signal: AbortSignal,
  ): Promise<void> => {
    const job = await lists.get(tenantId, id);
    if (job.fileRemovedAt) throw removed(job);
    assertSettled(job);
    const { layout, rowCount, sample } = await inspect(
      { path: job.filePath, sheet: sheet ?? job.layout.sheet ?? undefined, headerRow },
      signal,
    );
    const none = { mappings: null, mappingWarnings: null, templateId: null, validation: null };
    if (!(await jobs.update(id, { layout, rowCount, status: 'pending', ...none }, settled)))
      throw new AppError(
        'invalid_state',
        `The list “${job.filename}” was changed by another user. Reload it and try again`,
      );
    await writing('the first rows', () => files.saveSample(id, sample));
    await files.forgetChecks(id);
    const after = await lists.get(tenantId, id);
    streams.progress(after);
    const details = { sheet: layout.sheet, header_row: layout.headerRow, rows: rowCount };
    await writeAuditLog(audit(await tenants.get(tenantId), job, actor, 'had a list read in another way', details));
  };
}
