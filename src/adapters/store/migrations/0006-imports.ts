import { DataTypes, type ModelAttributes } from 'sequelize';
import { idType, instant } from '../columns.ts';
import { buildTables, type Index, id, type Migration, required, short, tenantId, text } from './build.ts';

const jobId = {
  type: idType,
  allowNull: false,
  references: { model: 'import_jobs', key: 'id' },
  onDelete: 'CASCADE',
} as const;

const tables: Record<string, ModelAttributes> = {
  /** An uploaded list and its state. The file is below the data directory, under the job's id. */
  import_jobs: {
    id,
    tenant_id: tenantId,
    filename: required(text),
    file_path: required(DataTypes.STRING(1024)),
    file_size: required(DataTypes.BIGINT),
    row_count: required(DataTypes.INTEGER),
    status: required(DataTypes.STRING(20)),
    layout: required(text),
    mappings: text,
    mapping_warnings: text,
    template_id: idType,
    validation_result: text,
    import_result: text,
    progress: text,
    options: text,
    /** Number of starts of its import; part of the batch's name at the tenant's application. */
    run: required(DataTypes.INTEGER),
    created_at: required(instant),
    updated_at: required(instant),
    created_by: required(short),
    /** When its expired file was removed; null: it exists. */
    file_removed_at: instant,
  },
  /** The journal of the work on jobs: the engine's records. */
  import_operations: {
    id,
    job_id: jobId,
    unfinished: required(DataTypes.BOOLEAN),
    record: required(text),
    cancel_requested_at: instant,
    created_at: required(instant),
  },
  import_templates: {
    id,
    name: required(short),
    description: text,
    mappings: required(text),
    created_at: required(instant),
    updated_at: required(instant),
    created_by: required(short),
  },
};

const indexes: Index[] = [
  ['import_jobs', ['tenant_id', 'created_at']],
  ['import_jobs', ['created_at']],
  ['import_operations', ['unfinished', 'created_at']],
  ['import_operations', ['job_id', 'created_at']],
];

export const imports: Migration = {
  name: '0006-imports',
  up: (schema) => buildTables(schema, tables, indexes),
};
