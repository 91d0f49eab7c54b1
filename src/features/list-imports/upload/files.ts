import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../../lib/errors.ts';
import { writeFileAtomic } from '../../../lib/files/atomic-file.ts';
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

const finding = z.object({
  row: z.int(),
  file_row: z.int(),
  column: z.string().nullable(),
  field: z.string().nullable(),
  code: z.string(),
  message: z.string(),
  value: z.string(),
});
const listFindings = z.object({ errors: z.array(finding), warnings: z.array(finding) });

/** Rows that a validation has something to say of: the first thousand errors and warnings. */
export type ListFindings = z.output<typeof listFindings>;

/** The files of a job's directory. All but the upload can be recreated. */
export interface ListFiles {
  directory(id: string): string;
  /** The target file of the list. */
  make(id: string): Promise<string>;
  saveSample(id: string, sample: ListSample): Promise<void>;
  sample(job: ImportJob): Promise<ListSample>;
  saveFindings(id: string, findings: ListFindings): Promise<void>;
  /** Of the last validation; undefined before the first. */
  findings(id: string): Promise<ListFindings | undefined>;
  /** Removes what a validation with other mappings, or another reading of the file, has left. */
  forgetChecks(id: string): Promise<void>;
  /** Rejected rows, as the last validation found them. */
  rejected(id: string): string;
  /** Rejected rows and those that the tenant refused, of the last import. */
  errors(id: string): string;
  /** The parts of a running import, and the rows that the tenant rejected. */
  work(id: string): string;
  refusals(id: string): string;
  /** Names of what a killed manager was writing: temporary files, and directories of requests to the tenant. */
  unfinished(id: string): Promise<string[]>;
  remove(id: string): Promise<void>;
  /** The ids that have a directory. */
  ids(): Promise<string[]>;
}

/** The list's own name in its directory. */
export const uploadName = 'list';

/** The queries to the tenant, in a directory next to the upload; the tenant's file is named after it. */
export const questionPrefix = 'check-';
export const isQuestion = (name: string): boolean => name.startsWith(questionPrefix);
export const questionFileName = (jobId: string, directory: string): string => `${jobId}-${basename(directory)}.csv`;

export function createListFiles(root: string): ListFiles {
  const directory = (id: string): string => join(root, id);
  const rejected = (id: string): string => join(directory(id), 'rejected.csv');
  const errors = (id: string): string => join(directory(id), 'errors.csv');
  const findingsOf = (id: string): string => join(directory(id), 'findings.json');
  return {
    directory,
    async make(id) {
      await mkdir(directory(id), { recursive: true, mode: 0o700 });
      return directory(id);
    },
    saveSample: (id, sample) => writeFileAtomic(join(directory(id), 'sample.json'), JSON.stringify(sample)),
    async sample(job) {
      if (job.fileRemovedAt) throw removed(job);
      return keptSample.parse(JSON.parse(await readFile(join(directory(job.id), 'sample.json'), 'utf8')));
    },
    saveFindings: (id, findings) => writeFileAtomic(findingsOf(id), JSON.stringify(findings)),
    async findings(id) {
      const text = await readFile(findingsOf(id), 'utf8').catch(() => undefined);
      return text === undefined ? undefined : listFindings.parse(JSON.parse(text));
    },
    async forgetChecks(id) {
      for (const path of [rejected(id), errors(id), findingsOf(id)]) await rm(path, { force: true });
    },
    rejected,
    errors,
    work: (id) => join(directory(id), 'work'),
    refusals: (id) => join(directory(id), 'refusals'),
    async unfinished(id) {
      const names = await readdir(directory(id)).catch((): string[] => []);
      return names.filter((name) => name.endsWith('.tmp') || isQuestion(name));
    },
    remove: (id) => rm(directory(id), { recursive: true, force: true }),
    async ids() {
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
