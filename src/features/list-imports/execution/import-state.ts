import { z } from 'zod';
import { duplicateChoices } from '../rows/tasks.ts';

/** The request of an import; never changes. */
export const importInput = z.object({
  jobId: z.string(),
  run: z.int(),
  batchId: z.string(),
  skipDuplicates: z.boolean(),
  updateExisting: z.boolean(),
  duplicatesInFile: z.enum(duplicateChoices).optional(),
  tags: z.array(z.string()),
  listName: z.string(),
  /** ISO 8601; the same for every part. */
  importDate: z.string(),
  createdBy: z.string(),
});
export type ImportInput = z.output<typeof importInput>;

const count = z.int().min(0);

/** How far an import has got, saved after each part that the tenant has answered. */
export const importState = z.object({
  /** The number of the part to be imported next, from 1. */
  part: z.int().min(1).default(1),
  /** Rows of the list that are dealt with: the next part begins after them. */
  processed: count.default(0),
  /** Rows handed to the tenant in earlier parts. */
  sent: count.default(0),
  imported: count.default(0),
  updated: count.default(0),
  duplicates: count.default(0),
  /** Rejected here, or refused by the tenant. */
  failed: count.default(0),
});
export type ImportState = z.output<typeof importState>;

/** The name of a part in the tenant's import directory; the same whenever it is put there again. */
export const importFileName = ({ batchId }: Pick<ImportInput, 'batchId'>, part: number): string =>
  `${batchId}-${String(part).padStart(5, '0')}.csv`;

/** The job that an operation works on: a row of the journal belongs to it. */
export const importJobOf = ({ input }: { input: unknown }): string =>
  z.object({ jobId: z.string() }).parse(input).jobId;
