import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BulkImportAnswer } from '../../../adapters/tenant-api/schema.ts';
import { writeFileAtomic } from '../../../lib/files/atomic-file.ts';
import { copyFile, rename, rm } from '../../../lib/files/changes.ts';
import { readCorrections } from '../corrections/corrections.ts';
import type { Refusals } from '../rows/failures.ts';
import { writeFailures } from '../rows/run-task.ts';
import type { ListPart } from '../rows/tasks.ts';
import type { ImportJob } from '../store.ts';
import type { ListFiles } from '../upload/files.ts';

/** Keeps what the tenant refused of a part, by the rows of the list; one file for each part, so that a part imported again counts once. */
export async function keepRefusals(
  files: ListFiles,
  id: string,
  part: ListPart,
  errors: BulkImportAnswer['errors'],
): Promise<void> {
  if (errors.length === 0) return;
  const refused: Refusals = errors.flatMap(({ row, message }) => {
    const listRow = part.rows[row - 1];
    return listRow === undefined ? [] : [{ row: listRow, message }];
  });
  await writeFileAtomic(
    join(files.refusals(id), `${String(part.number).padStart(5, '0')}.json`),
    JSON.stringify(refused),
  );
}

/** Makes the file of all errors: the rejected rows, then those that the tenant refused. May be done again. */
export async function collectErrors(files: ListFiles, job: ImportJob, signal: AbortSignal): Promise<void> {
  const directory = files.refusals(job.id);
  const names = (await readdir(directory).catch((): string[] => [])).filter((name) => name.endsWith('.json')).sort();
  const refusals = names.map((name) => join(directory, name));
  const aside = `${files.errors(job.id)}.tmp`;
  try {
    await copyFile(files.rejected(job.id), aside);
    if (refusals.length > 0) {
      const corrections = await readCorrections(files, job);
      const source = { path: job.filePath, layout: job.layout, corrections };
      await writeFailures({ ...source, refusals, errorsPath: aside }, { signal });
    }
    await rename(aside, files.errors(job.id));
  } finally {
    await rm(aside, { force: true });
  }
}
