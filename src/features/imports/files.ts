import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../../kernel/atomic-file.ts';
import { AppError } from '../../kernel/errors.ts';
import type { ImportJob } from './job.ts';

const sample = z.array(z.array(z.string()));

/** What lies in a job's directory. All of it but the upload can be made anew. */
export interface ListFiles {
  directory(id: string): string;
  /** Where the list is put. */
  make(id: string): Promise<string>;
  /** The first rows, as they were found at the upload. */
  saveSample(id: string, rows: string[][]): Promise<void>;
  sample(job: ImportJob): Promise<string[][]>;
  /** Rejected rows, as the last validation found them. */
  rejected(id: string): string;
  /** Rejected rows and those that the tenant refused, of the last import. */
  errors(id: string): string;
  /** Of an import under way: parts, and what the tenant refused of each. */
  work(id: string): string;
  refusals(id: string): string;
  /** Names of what a manager that was killed was writing: files aside, and directories of questions to the tenant. */
  unfinished(id: string): Promise<string[]>;
  remove(id: string): Promise<void>;
  /** The ids that have a directory. */
  ids(): Promise<string[]>;
}

/** The list's own name in its directory. */
export const uploadName = 'list';

/** What the tenant is asked lies in a directory of its own beside the upload; the file before the tenant is named after it. */
export const questionPrefix = 'check-';
export const isQuestion = (name: string): boolean => name.startsWith(questionPrefix);
export const questionFileName = (jobId: string, directory: string): string => `${jobId}-${basename(directory)}.csv`;

export function createListFiles(root: string): ListFiles {
  const directory = (id: string): string => join(root, id);
  return {
    directory,
    async make(id) {
      await mkdir(directory(id), { recursive: true, mode: 0o700 });
      return directory(id);
    },
    saveSample: (id, rows) => writeFileAtomic(join(directory(id), 'sample.json'), JSON.stringify(rows)),
    async sample(job) {
      if (job.fileRemovedAt) throw removed(job);
      return sample.parse(JSON.parse(await readFile(join(directory(job.id), 'sample.json'), 'utf8')));
    },
    rejected: (id) => join(directory(id), 'rejected.csv'),
    errors: (id) => join(directory(id), 'errors.csv'),
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

/** The refusal of what needs a list whose file is gone. */
export const removed = ({ id }: ImportJob): AppError =>
  new AppError('invalid_state', `The file of ${id} was removed for its age; upload it again`);
