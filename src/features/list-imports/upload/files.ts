import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../../lib/errors.ts';
import { writeFileAtomic } from '../../../lib/files/atomic-file.ts';
import { mkdir, rm } from '../../../lib/files/changes.ts';
import type { ImportJob } from '../store.ts';

const cells = z.array(z.string());
const listSample = z.object({
  rows: z.array(cells),
  firstRows: z.array(z.object({ fileRow: z.int(), cells })),
  warnings: z.array(z.string()),
});
/** Earlier versions kept the rows alone. */
const keptSample = z.union([
  listSample,
  z.array(cells).transform((rows): ListSample => ({ rows, firstRows: [], warnings: [] })),
]);

/** The public view of an inspected list. */
export type ListSample = z.output<typeof listSample>;

/** A finding on a row, in its file and in answers. */
export const finding = z.object({
  row: z.int().meta({ description: 'The data row; 1 is the first' }),
  file_row: z.int().meta({ description: 'As a spreadsheet counts' }),
  column: z.string().nullable(),
  field: z.string().nullable(),
  code: z.string(),
  message: z.string(),
  value: z.string(),
});
/** Cells of rows with findings. */
export const foundCells = z.object({
  columns: z.array(z.string()).meta({ description: 'The columns that are imported, at most 100' }),
  rows: z.array(z.object({ row: z.int(), cells: z.array(z.string()) })).meta({
    description:
      'Rows with findings, with the corrections; a cell for each column. Those of many long rows are left out',
  }),
});
const listFindings = z.object({
  errors: z.array(finding),
  warnings: z.array(finding),
  cells: foundCells.default({ columns: [], rows: [] }),
});

/** Rows that a validation has something to say of: the first thousand errors and warnings. */
type ListFindings = z.output<typeof listFindings>;

/** The list's own name in its directory. */
export const uploadName = 'list';

/** The queries to the tenant, in a directory next to the upload; the tenant's file is named after it. */
export const questionPrefix = 'check-';
export const isQuestion = (name: string): boolean => name.startsWith(questionPrefix);
export const questionFileName = (jobId: string, directory: string): string => `${jobId}-${basename(directory)}.csv`;

export type ListFiles = ReturnType<typeof createListFiles>;

/** The files of a job's directory. All but the upload can be recreated. */
export function createListFiles(root: string) {
  const directory = (id: string): string => join(root, id);
  /** Rejected rows, as the last validation found them. */
  const rejected = (id: string): string => join(directory(id), 'rejected.csv');
  /** Rejected rows and those that the tenant refused, of the last import. */
  const errors = (id: string): string => join(directory(id), 'errors.csv');
  const findingsOf = (id: string): string => join(directory(id), 'findings.json');
  return {
    directory,
    async make(id: string): Promise<string> {
      await mkdir(directory(id), { recursive: true, mode: 0o700 });
      return directory(id);
    },
    saveSample: (id: string, sample: ListSample): Promise<void> =>
      writeFileAtomic(join(directory(id), 'sample.json'), JSON.stringify(sample)),
    async sample(job: ImportJob): Promise<ListSample> {
      if (job.fileRemovedAt) throw removed(job);
      return keptSample.parse(JSON.parse(await readFile(join(directory(job.id), 'sample.json'), 'utf8')));
    },
    saveFindings: (id: string, findings: ListFindings): Promise<void> =>
      writeFileAtomic(findingsOf(id), JSON.stringify(findings)),
    /** Of the last validation; undefined before the first. */
    async findings(id: string): Promise<ListFindings | undefined> {
      const text = await readFile(findingsOf(id), 'utf8').catch(() => undefined);
      return text === undefined ? undefined : listFindings.parse(JSON.parse(text));
    },
    /** What users changed in the cells of the list; missing where nothing was. */
    corrections: (id: string): string => join(directory(id), 'corrections.json'),
    /** Removes what a validation with other mappings, or another reading of the file, has left. */
    async forgetChecks(id: string): Promise<void> {
      for (const path of [rejected(id), errors(id), findingsOf(id)]) await rm(path, { force: true });
    },
    rejected,
    errors,
    /** The parts of a running import. */
    work: (id: string): string => join(directory(id), 'work'),
    /** The rows that the tenant rejected. */
    refusals: (id: string): string => join(directory(id), 'refusals'),
    /** Names of what a killed manager was writing: temporary files, and directories of requests to the tenant. */
    async unfinished(id: string): Promise<string[]> {
      const names = await readdir(directory(id)).catch((): string[] => []);
      return names.filter((name) => name.endsWith('.tmp') || isQuestion(name));
    },
    remove: (id: string): Promise<void> => rm(directory(id), { recursive: true, force: true }),
    /** The ids that have a directory. */
    async ids(): Promise<string[]> {
      const names = await readdir(root).catch((): string[] => []);
      return names.filter((name) => name.startsWith('imp_'));
    },
  };
}

/** The error when the file of a list is missing. */
export const removed = ({ filename }: ImportJob): AppError =>
  new AppError(
    'invalid_state',
    `The file of the list “${filename}” was removed after the retention period; upload it again`,
  );
