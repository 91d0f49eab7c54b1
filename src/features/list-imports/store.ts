import { Op } from 'sequelize';
import { refuseOrphan } from '../../adapters/store/conflicts.ts';
import type { Store } from '../../adapters/store/store.ts';
import {
  bigInteger,
  defineTable,
  flag,
  id,
  instant,
  integer,
  json,
  key,
  named,
  newestFirst,
  orNull,
  ownedBy,
  type RowOf,
  tableIn,
  text,
} from '../../adapters/store/table.ts';
import type { TableLayout } from '../../adapters/tabular/tabular.ts';
import type { Clock } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import {
  isUnfinished,
  type OperationJournal,
  type OperationRecord,
  recordFromJson,
} from '../../lib/operations/operation.ts';
import type { ExecuteOptions, ImportResult, JobStatus, Progress, ValidationSummary } from './job.ts';
import type { FieldMapping, MappingTarget } from './mapping/field-mapping.ts';
import type { Transform } from './mapping/transforms.ts';

const jobColumns = {
  id: key(id),
  tenantId: ownedBy('tenants'),
  /** The name the uploader gave it: only for display, never a path. */
  filename: text(),
  /** Absolute. */
  filePath: text(1024),
  /** Bytes. */
  fileSize: bigInteger,
  rowCount: integer,
  status: text<JobStatus>(20),
  layout: json<TableLayout>(),
  mappings: orNull(json<FieldMapping[]>()),
  mappingWarnings: orNull(json<string[]>()),
  /** The template whose mappings were taken. */
  templateId: orNull(id),
  validation: orNull(named('validation_result', json<ValidationSummary>())),
  result: orNull(named('import_result', json<ImportResult>())),
  progress: orNull(json<Progress>()),
  options: orNull(json<ExecuteOptions>()),
  run: integer,
  createdAt: instant,
  updatedAt: instant,
  createdBy: text(255),
  fileRemovedAt: orNull(instant),
};
export const importJobsTable = defineTable('import_jobs', jobColumns, {
  indexes: [['tenantId', 'createdAt'], ['createdAt']],
});
/** A list that was uploaded, and what became of it. */
export type ImportJob = RowOf<typeof jobColumns>;

/** Import jobs in the store. */
export function createJobStore(store: Store, clock: Clock) {
  const jobs = tableIn(store, importJobsTable);
  return {
    /** @throws AppError not_found where the tenant is gone */
    insert: (job: ImportJob): Promise<void> => refuseOrphan(jobs.insert(job), () => notFound('tenant', job.tenantId)),
    /** @param when the change is made only where the job is in one of these states. @returns whether it was made */
    async update(id: string, changes: Partial<ImportJob>, when?: readonly JobStatus[]): Promise<boolean> {
      const where = { id, ...(when ? { status: [...when] } : {}) };
      return (await jobs.update({ updatedAt: clock.now(), ...changes }, where)) > 0;
    },
    find: (id: string): Promise<ImportJob | undefined> => jobs.find({ id }),
    list: (tenantId: string, paging: Paging): Promise<Page<ImportJob>> => jobs.page({ tenantId }, paging),
    inState: (states: readonly JobStatus[]): Promise<ImportJob[]> => jobs.all({ where: { status: [...states] } }),
    /** Which of these ids are those of jobs. */
    recorded: async (ids: readonly string[]): Promise<ReadonlySet<string>> =>
      new Set((await jobs.all({ where: { id: [...ids] }, only: ['id'] })).map(({ id }) => id)),
    /** Some jobs whose file is there and that were not touched since; not those under way. */
    untouchedSince(date: Date, limit: number): Promise<ImportJob[]> {
      const idle = { [Op.notIn]: ['analyzing' as const, 'importing' as const] };
      const where = { updatedAt: { [Op.lt]: date }, fileRemovedAt: null, status: idle };
      return jobs.all({ where, order: [['createdAt', 'ASC']], limit });
    },
    remove: (id: string) => jobs.remove({ id }),
  };
}
export type JobStore = ReturnType<typeof createJobStore>;

const operationColumns = {
  id: key(id),
  jobId: ownedBy('import_jobs'),
  unfinished: flag,
  record: json<OperationRecord>(),
  cancelRequestedAt: orNull(instant),
  createdAt: instant,
};
export const importOperationsTable = defineTable('import_operations', operationColumns, {
  indexes: [
    ['unfinished', 'createdAt'],
    ['jobId', 'createdAt'],
  ],
});

/** The journal of the work on jobs. An operation's input names its job. */
export function createImportOperations(store: Store, jobOf: (record: OperationRecord) => string) {
  const operations = tableIn(store, importOperationsTable);
  return {
    async insert(record) {
      const jobId = jobOf(record);
      const row = { id: record.id, jobId, unfinished: isUnfinished(record), record, createdAt: record.createdAt };
      await refuseOrphan(operations.insert(row), () => notFound('import job', jobId));
    },
    async save(record) {
      await operations.update({ unfinished: isUnfinished(record), record }, { id: record.id });
    },
    async requestCancel(id, at) {
      await operations.update({ cancelRequestedAt: at }, { id });
    },
    unfinished: async () =>
      (await operations.all({ where: { unfinished: true }, order: [['createdAt', 'ASC']] })).map(toRecord),
    /** The operation under way on a job. */
    async underWay(jobId: string): Promise<OperationRecord | undefined> {
      const row = await operations.find({ jobId, unfinished: true });
      return row && toRecord(row);
    },
    /** Which of these operations have not ended. */
    open: async (ids: readonly string[]): Promise<ReadonlySet<string>> =>
      new Set((await operations.all({ where: { id: [...ids], unfinished: true }, only: ['id'] })).map(({ id }) => id)),
  } satisfies OperationJournal & Record<string, unknown>;
}
export type ImportOperations = ReturnType<typeof createImportOperations>;

const toRecord = ({ record, cancelRequestedAt }: RowOf<typeof operationColumns>): OperationRecord => ({
  ...recordFromJson(record),
  cancelRequestedAt,
});

const templateColumns = {
  id: key(id),
  name: text(255),
  description: orNull(text()),
  mappings: json<FieldMapping[]>(),
  createdAt: instant,
  updatedAt: instant,
  createdBy: text(255),
};
export const importTemplatesTable = defineTable('import_templates', templateColumns);
/** Mappings kept for lists that come again. */
export type ImportTemplate = RowOf<typeof templateColumns>;

/** Templates of mappings. */
export function createTemplateStore(store: Store) {
  const templates = tableIn(store, importTemplatesTable);
  return {
    insert: (template: ImportTemplate) => templates.insert(template),
    /** @returns whether it is there; with a new `updatedAt`, as MariaDB does not count a row that stays as it was */
    update: async (id: string, changes: Partial<ImportTemplate> & { updatedAt: Date }): Promise<boolean> =>
      (await templates.update(changes, { id })) > 0,
    find: (id: string): Promise<ImportTemplate | undefined> => templates.find({ id }),
    list: (paging: Paging): Promise<Page<ImportTemplate>> => templates.page({}, paging),
    all: (): Promise<ImportTemplate[]> => templates.all({ order: newestFirst }),
    /** @returns whether it was there */
    remove: async (id: string): Promise<boolean> => (await templates.remove({ id })) > 0,
  };
}
export type TemplateStore = ReturnType<typeof createTemplateStore>;

const learnedColumns = {
  id: key(id),
  /** Without case, punctuation and accents; with `valueKind` it identifies the entry. */
  header: text(255),
  valueKind: text(255),
  /** The header as the list had it. */
  source: text(),
  target: text<MappingTarget>(255),
  transform: orNull(text<Transform>(255)),
  createdAt: instant,
  createdBy: text(255),
};
export const learnedMappingsTable = defineTable('learned_mappings', learnedColumns, {
  unique: [['header', 'valueKind']],
});
/** What a user chose for a column instead of the suggestion. */
export type LearnedMapping = RowOf<typeof learnedColumns>;

/** Mappings that users' choices have taught. */
export function createLearnedStore(store: Store) {
  const learned = tableIn(store, learnedMappingsTable);
  return {
    /** Replaces what was learned for the same column. Not to be called concurrently for one column. */
    async save(mapping: LearnedMapping): Promise<void> {
      const { header, valueKind, id: _, ...rest } = mapping;
      if ((await learned.find({ header, valueKind })) !== undefined) await learned.update(rest, { header, valueKind });
      else await learned.insert(mapping);
    },
    find: (id: string): Promise<LearnedMapping | undefined> => learned.find({ id }),
    withHeaders: (headers: readonly string[]): Promise<LearnedMapping[]> =>
      learned.all({ where: { header: [...headers] } }),
    list: (paging: Paging): Promise<Page<LearnedMapping>> => learned.page({}, paging),
    remove: (id: string) => learned.remove({ id }),
  };
}
export type LearnedStore = ReturnType<typeof createLearnedStore>;
