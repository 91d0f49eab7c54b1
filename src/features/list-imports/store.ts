import { DataTypes, type Model, Op } from 'sequelize';
import { idType, instant, jsonColumn } from '../../adapters/store/columns.ts';
import { refuseOrphan } from '../../adapters/store/conflicts.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import type { OperationJournal, OperationRecord } from '../../lib/operations/operation.ts';
import type { ImportJob, JobStatus } from './job.ts';
import type { ImportTemplate } from './templates/template-schema.ts';

/** Import jobs in the store. */
export interface JobStore {
  /** @throws AppError not_found where the tenant is gone */
  insert(job: ImportJob): Promise<void>;
  /** @param when the change is made only where the job is in one of these states. @returns whether it was made */
  update(id: string, changes: Partial<ImportJob>, when?: readonly JobStatus[]): Promise<boolean>;
  find(id: string): Promise<ImportJob | undefined>;
  list(tenantId: string, paging: Paging): Promise<Page<ImportJob>>;
  inState(states: readonly JobStatus[]): Promise<ImportJob[]>;
  /** Which of these ids are those of jobs. */
  recorded(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Some jobs whose file is there and that were not touched since; not those under way. */
  untouchedSince(date: Date, limit: number): Promise<ImportJob[]>;
  remove(id: string): Promise<void>;
}

const newestFirst: [string, string][] = [
  ['createdAt', 'DESC'],
  ['id', 'DESC'],
];

export function createJobStore({ sequelize }: Store, clock: Clock): JobStore {
  const Jobs = sequelize.define<Model<ImportJob, ImportJob>>(
    'ImportJob',
    {
      id: { type: idType, primaryKey: true },
      tenantId: idType,
      filename: DataTypes.TEXT,
      filePath: DataTypes.STRING(1024),
      fileSize: DataTypes.BIGINT,
      rowCount: DataTypes.INTEGER,
      status: DataTypes.STRING(20),
      layout: jsonColumn('layout'),
      mappings: jsonColumn('mappings'),
      mappingWarnings: jsonColumn('mappingWarnings'),
      templateId: idType,
      validation: { ...jsonColumn('validation'), field: 'validation_result' },
      result: { ...jsonColumn('result'), field: 'import_result' },
      progress: jsonColumn('progress'),
      options: jsonColumn('options'),
      run: DataTypes.INTEGER,
      createdAt: instant,
      updatedAt: instant,
      createdBy: DataTypes.STRING(255),
      fileRemovedAt: instant,
    },
    { tableName: 'import_jobs' },
  );
  const toJob = (row: Model<ImportJob, ImportJob>): ImportJob => {
    const job = row.get() as ImportJob;
    // MySQL's driver answers a large integer as a text.
    return { ...job, fileSize: Number(job.fileSize) };
  };

  return {
    insert: (job) => refuseOrphan(Jobs.create(job), () => notFound('tenant', job.tenantId)).then(() => undefined),
    async update(id, changes, when) {
      const where = { id, ...(when ? { status: { [Op.in]: [...when] } } : {}) };
      const [changed] = await Jobs.update({ updatedAt: clock.now(), ...changes }, { where });
      return changed > 0;
    },
    async find(id) {
      const row = await Jobs.findByPk(id);
      return row ? toJob(row) : undefined;
    },
    async list(tenantId, { limit, offset }) {
      const { rows, count } = await Jobs.findAndCountAll({ where: { tenantId }, order: newestFirst, limit, offset });
      return { items: rows.map(toJob), total: count };
    },
    inState: async (states) => (await Jobs.findAll({ where: { status: { [Op.in]: [...states] } } })).map(toJob),
    async recorded(ids) {
      const rows = await Jobs.findAll({ where: { id: [...ids] }, attributes: ['id'] });
      return new Set(rows.map((row) => row.get('id') as string));
    },
    async untouchedSince(date, limit) {
      const where = {
        updatedAt: { [Op.lt]: date },
        fileRemovedAt: null,
        status: { [Op.notIn]: ['analyzing', 'importing'] },
      };
      return (await Jobs.findAll({ where, order: [['createdAt', 'ASC']], limit })).map(toJob);
    },
    async remove(id) {
      await Jobs.destroy({ where: { id } });
    },
  };
}

interface OperationRow {
  id: string;
  jobId: string;
  unfinished: boolean;
  record: OperationRecord;
  cancelRequestedAt: Date | null;
  createdAt: Date;
}

/** The journal of the work on jobs. An operation's input names its job. */
export interface ImportOperations extends OperationJournal {
  /** The operation under way on a job. */
  underWay(jobId: string): Promise<OperationRecord | undefined>;
  /** Which of these operations have not ended. */
  open(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

export function createImportOperations(
  { sequelize }: Store,
  jobOf: (record: OperationRecord) => string,
): ImportOperations {
  const Operations = sequelize.define<Model<OperationRow, Partial<OperationRow>>>(
    'ImportOperation',
    {
      id: { type: idType, primaryKey: true },
      jobId: idType,
      unfinished: DataTypes.BOOLEAN,
      record: jsonColumn('record'),
      cancelRequestedAt: instant,
      createdAt: instant,
    },
    { tableName: 'import_operations' },
  );
  const isOpen = ({ status }: OperationRecord): boolean => status === 'queued' || status === 'running';
  const order: [string, string][] = [['createdAt', 'ASC']];

  return {
    async insert(record) {
      const jobId = jobOf(record);
      const row = { id: record.id, jobId, unfinished: isOpen(record), record, createdAt: record.createdAt };
      await refuseOrphan(Operations.create(row), () => notFound('import job', jobId));
    },
    async save(record) {
      await Operations.update({ unfinished: isOpen(record), record }, { where: { id: record.id } });
    },
    async requestCancel(id, at) {
      await Operations.update({ cancelRequestedAt: at }, { where: { id } });
    },
    unfinished: async () => (await Operations.findAll({ where: { unfinished: true }, order })).map(toRecord),
    async underWay(jobId) {
      const row = await Operations.findOne({ where: { jobId, unfinished: true } });
      return row ? toRecord(row) : undefined;
    },
    async open(ids) {
      const rows = await Operations.findAll({ where: { id: [...ids], unfinished: true }, attributes: ['id'] });
      return new Set(rows.map((row) => row.get('id') as string));
    },
  };
}

function toRecord(row: Model<OperationRow, Partial<OperationRow>>): OperationRecord {
  const { record, cancelRequestedAt } = row.get() as OperationRow;
  const date = (value: Date | null): Date | null => (value === null ? null : new Date(value));
  return {
    ...record,
    cancelRequestedAt,
    createdAt: new Date(record.createdAt),
    startedAt: date(record.startedAt),
    finishedAt: date(record.finishedAt),
  };
}

/** Templates of mappings. */
export interface TemplateStore {
  insert(template: ImportTemplate): Promise<void>;
  /** @returns whether it is there; with a new `updatedAt`, as MariaDB does not count a row that stays as it was */
  update(id: string, changes: Partial<ImportTemplate> & { updatedAt: Date }): Promise<boolean>;
  find(id: string): Promise<ImportTemplate | undefined>;
  list(paging: Paging): Promise<Page<ImportTemplate>>;
  all(): Promise<ImportTemplate[]>;
  /** @returns whether it was there */
  remove(id: string): Promise<boolean>;
}

export function createTemplateStore({ sequelize }: Store): TemplateStore {
  const Templates = sequelize.define<Model<ImportTemplate, ImportTemplate>>(
    'ImportTemplate',
    {
      id: { type: idType, primaryKey: true },
      name: DataTypes.STRING(255),
      description: DataTypes.TEXT,
      mappings: jsonColumn('mappings'),
      createdAt: instant,
      updatedAt: instant,
      createdBy: DataTypes.STRING(255),
    },
    { tableName: 'import_templates' },
  );
  return {
    async insert(template) {
      await Templates.create(template);
    },
    async update(id, changes) {
      const [changed] = await Templates.update(changes, { where: { id } });
      return changed > 0;
    },
    find: async (id) => (await Templates.findByPk(id))?.get(),
    async list({ limit, offset }) {
      const { rows, count } = await Templates.findAndCountAll({ order: newestFirst, limit, offset });
      return { items: rows.map((row) => row.get()), total: count };
    },
    all: async () => (await Templates.findAll({ order: newestFirst })).map((row) => row.get()),
    remove: async (id) => (await Templates.destroy({ where: { id } })) > 0,
  };
}
