import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import type { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { writeFileAtomic } from '../../../lib/files/atomic-file.ts';
import { writing } from '../../../lib/files/disk-full-error.ts';
import { audit, statusSentence } from '../job.ts';
import type { ImportsDeps } from '../list-imports.ts';
import type { ListService } from '../service.ts';
import type { ImportJob } from '../store.ts';
import type { ListFiles } from '../upload/files.ts';
import {
  type Correction,
  type KeptCorrection,
  keptCorrection,
  maxCorrections,
  maxCorrectionsLength,
} from './correction.ts';

/** Corrections name columns and rows of one reading of the list, and apply to that alone. */
const reading = z.object({
  sheet: z.string().nullable(),
  headerRow: z.int().nullable(),
  corrections: z.array(keptCorrection),
});
type Reading = z.output<typeof reading>;

const correctionsFile = z.object({
  /** Not given again, also where that correction was undone. */
  lastId: z.int().min(0),
  readings: z.array(reading),
});

interface Kept {
  lastId: number;
  corrections: KeptCorrection[];
  /** The corrections of other readings of the list. */
  others: Reading[];
}

/** The corrections of a list, in the order in which they apply; none before the first. @throws where its file is damaged */
export const readCorrections = async (
  files: ListFiles,
  job: Pick<ImportJob, 'id' | 'layout'>,
): Promise<KeptCorrection[]> => (await readKept(files, job)).corrections;

async function readKept(files: ListFiles, { id, layout }: Pick<ImportJob, 'id' | 'layout'>): Promise<Kept> {
  const text = await readFile(files.corrections(id), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return { lastId: 0, corrections: [], others: [] };
  const { lastId, readings } = correctionsFile.parse(JSON.parse(text));
  const isPresent = ({ sheet, headerRow }: Reading) => sheet === layout.sheet && headerRow === layout.headerRow;
  return {
    lastId,
    corrections: readings.find(isPresent)?.corrections ?? [],
    others: readings.filter((one) => !isPresent(one)),
  };
}

const lengthOf = (one: Correction): number => ('row' in one ? one.value.length : one.find.length + one.replace.length);

export type Corrections = ReturnType<typeof createCorrections>;

/** Corrections of a list's cells. What was found without them no longer counts. */
export function createCorrections(
  { files, lists, changes }: { files: ListFiles; lists: ListService; changes: KeyedLock },
  { tenants, writeAuditLog }: Pick<ImportsDeps, 'tenants' | 'writeAuditLog'>,
) {
  /** @throws AppError not_found; job_not_ready before mappings; invalid_state while it is imported */
  const change = (
    { tenantId, id, actor }: { tenantId: string; id: string; actor: Actor },
    what: string,
    changed: (job: ImportJob, kept: Kept) => Pick<Kept, 'lastId' | 'corrections'>,
  ): Promise<KeptCorrection[]> =>
    changes.run(id, async () => {
      const job = await lists.withFile(tenantId, id);
      if (!job.mappings) throw new AppError('job_not_ready', `${statusSentence(job)}: map its columns first`);
      const kept = await readKept(files, job);
      const { lastId, corrections } = changed(job, kept);
      // First what was found without them: a check must never seem to include a correction that is not on the disk yet.
      await lists.invalidate(job);
      const { sheet, headerRow } = job.layout;
      const readings = [...kept.others, { sheet, headerRow, corrections }];
      const file = JSON.stringify({ lastId, readings } satisfies z.input<typeof correctionsFile>);
      await writing('the corrections', () => writeFileAtomic(files.corrections(id), file));
      const details = { corrections: corrections.length };
      await writeAuditLog(audit(await tenants.get(tenantId), job, actor, what, details));
      return corrections;
    });

  return {
    async list(tenantId: string, id: string): Promise<KeptCorrection[]> {
      return readCorrections(files, await lists.withFile(tenantId, id));
    },

    /** @throws AppError as `change`; validation_error naming each column that the list does not have, or too many */
    add: (tenantId: string, id: string, added: readonly Correction[], actor: Actor): Promise<KeptCorrection[]> =>
      change(
        { tenantId, id, actor },
        'corrected a list',
        ({ layout: { headers }, rowCount }, { lastId, corrections, others }) => {
          const issues = added.flatMap((correction, index) => {
            const path = `corrections.${index}`;
            if (!headers.includes(correction.column))
              return [
                { path: `${path}.column`, message: `The list has no column ${JSON.stringify(correction.column)}` },
              ];
            if ('row' in correction && correction.row > rowCount)
              return [{ path: `${path}.row`, message: `The list has ${rowCount} rows` }];
            return [];
          });
          const all = [...others.flatMap((one) => one.corrections), ...corrections, ...added];
          if (all.length > maxCorrections)
            issues.push({ path: 'corrections', message: `A list can have at most ${maxCorrections} corrections` });
          const length = all.reduce((sum, one) => sum + lengthOf(one), 0);
          if (length > maxCorrectionsLength) {
            const message = `The corrections of a list can have at most ${maxCorrectionsLength} characters in all`;
            issues.push({ path: 'corrections', message });
          }
          const [first] = issues;
          if (first) throw new AppError('validation_error', `${first.path}: ${first.message}`, { issues });
          const numbered = added.map((correction, index) => ({ ...correction, id: lastId + 1 + index }));
          return { lastId: lastId + added.length, corrections: [...corrections, ...numbered] };
        },
      ),

    /** Cells get back the value that they have without it. @throws AppError as `change` */
    remove: (tenantId: string, id: string, correctionId: number, actor: Actor): Promise<KeptCorrection[]> =>
      change({ tenantId, id, actor }, 'removed a correction of a list', (_job, { lastId, corrections }) => {
        if (!corrections.some((one) => one.id === correctionId)) throw notFound('correction', String(correctionId));
        return { lastId, corrections: corrections.filter((one) => one.id !== correctionId) };
      }),
  };
}
