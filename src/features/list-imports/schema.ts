import { z } from 'zod';
import { timestamp, toTimestamp } from '../../lib/http/routing/formats.ts';
import { pagingQuery } from '../../lib/http/routing/paging.ts';
import { may, type Role } from '../../lib/http/routing/roles.ts';
import { duplicateCount, jobStatuses, noProgress } from './job.ts';
import { isMappingTarget, type MappingTarget } from './mapping/field-mapping.ts';
import { transforms } from './mapping/transforms.ts';
import { duplicateChoices } from './rows/tasks.ts';
import type { ImportJob } from './store.ts';
import { finding, foundCells, type ListSample } from './upload/files.ts';

const target = z
  .string()
  .refine((text): text is MappingTarget => isMappingTarget(text), {
    message: 'Must be a person field, custom_fields.<snake_case name of at most 64 characters>, or skip',
  })
  .meta({ description: 'A person field, `custom_fields.<name>` or `skip`', examples: ['first_name'] });
const confidence = z.number().min(0).max(1);

/** In responses. */
export const shownMapping = z
  .strictObject({
    source: z.string().min(1).max(1_000).meta({ description: 'The column’s header' }),
    target,
    confidence: confidence.default(1),
    transform: z.enum(transforms).optional(),
    reason: z.string().max(1_000).optional(),
    learned_id: z.string().max(64).optional().meta({ description: 'The learned mapping that it comes from' }),
    alternatives: z.array(z.strictObject({ target, confidence })).max(50).optional(),
  })
  .meta({ id: 'FieldMapping' });
const fieldMapping = shownMapping.transform(({ transform, reason, learned_id, alternatives, ...mapping }) => ({
  ...mapping,
  ...(transform === undefined ? {} : { transform }),
  ...(reason === undefined ? {} : { reason }),
  ...(learned_id === undefined ? {} : { learned_id }),
  ...(alternatives === undefined ? {} : { alternatives }),
}));

const maxColumns = 2_000;
/** In requests. */
export const mappingList = z.array(fieldMapping).max(maxColumns);
const count = z.int().min(0);
const progressCounts = z.object({
  total: count,
  processed: count,
  success: count,
  failed: count,
  duplicates: count,
  updated: count,
});
/** How far an import has got. */
export const progressBody = progressCounts
  .extend({
    retry: z
      .object({ attempt: z.int().min(2), next_attempt_at: timestamp, reason: z.string() })
      .optional()
      .meta({
        description:
          'Only while the manager waits to retry a part that the tenant did not accept. It retries for five minutes; cancelling ends the wait at once.',
      }),
  })
  .meta({ id: 'ImportProgress' });

/** How an import ended. */
export const importResult = progressCounts
  .extend({
    batch_id: z.string(),
    imported: count,
    duplicates_in_file: count.optional().meta({ description: 'Those of an earlier row; of a completed import alone' }),
    error: z.string().optional(),
    started_at: timestamp,
    finished_at: timestamp,
    undone_at: timestamp.optional(),
    removed: count.optional(),
  })
  .meta({ id: 'ImportResult' });

const counted = {
  total: count,
  valid_count: count.meta({ description: 'Rows without errors, duplicates included' }),
  error_count: count,
  warning_count: count,
  duplicate_count: count.meta({ description: 'Valid rows for the same person as an earlier row of the file' }),
};
const tag = z.string().trim().min(1).max(100);

const importOptions = z.object({
  skip_duplicates: z.boolean(),
  update_existing: z.boolean(),
  duplicates_in_file: z.enum(duplicateChoices).nullable(),
  tags: z.array(z.string()),
  list_name: z.string(),
});

const summary = z.array(z.object({ code: z.string(), column: z.string().nullable(), count }));
const tenantDuplicates = z.object({ checked: count, found: count }).nullable().meta({
  description: 'People of the list that the tenant’s application already has; null if it can’t check',
});

export const jobBody = z
  .object({
    id: z.string(),
    job_id: z.string().meta({ description: 'The same as id' }),
    tenant_id: z.string(),
    filename: z.string(),
    file_path: z.string().nullable().meta({ description: 'On the manager’s disk; null for viewers' }),
    file_size: count,
    row_count: count,
    status: z.enum(jobStatuses),
    mappings: z.array(shownMapping),
    validation_result: z
      .object({ ...counted, summary, tenant_duplicates: tenantDuplicates, validated_at: timestamp })
      .nullable(),
    import_result: importResult.nullable(),
    import_options: importOptions.nullable().meta({ description: 'The options of the last import' }),
    created_at: timestamp,
    updated_at: timestamp,
    created_by: z.string(),
    file_removed_at: timestamp.nullable().meta({ description: 'When the file was removed after the retention period' }),
  })
  .meta({ id: 'ImportJob' });

export const uploadForm = z
  .object({ file: z.string().meta({ format: 'binary' }), sheet: z.string().optional() })
  .meta({ id: 'ListUpload' });
const sheetName = z.string().min(1).max(255).optional();
export const uploadFields = z.strictObject({ sheet: sheetName });
export const uploadQuery = z.object({ sheet: sheetName });
const sheets = z.array(z.object({ name: z.string(), empty: z.boolean() }));

export const uploadAnswer = z.object({
  job_id: z.string(),
  filename: z.string(),
  status: z.enum(jobStatuses),
  row_count: count,
  sheet: z.string().nullable(),
  sheets,
  warnings: z.array(z.string()),
});

export const previewQuery = z.object({ rows: z.coerce.number().int().min(1).max(100).default(10) });
export const previewAnswer = z.object({
  headers: z.array(z.string()),
  sample_rows: z.array(z.record(z.string(), z.string())),
  total_rows: count,
  header_row: z.int().nullable().meta({ description: 'As a spreadsheet counts; null: the list has no headers' }),
  sheet: z.string().nullable(),
  sheets,
  format: z.enum(['csv', 'xlsx', 'xls', 'ods']).meta({ description: 'csv: any delimited text' }),
  encoding: z.enum(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'macintosh']).nullable(),
  delimiter: z.enum([',', ';', '\t', '|', '^']).nullable(),
  first_rows: z.array(z.object({ row: z.int(), cells: z.array(z.string()) })).meta({
    description: 'The first rows of the file, title rows included, cells truncated; `row` as a spreadsheet counts',
  }),
  warnings: z.array(z.string()),
});
export const readingBody = z
  .strictObject({
    sheet: sheetName,
    header_row: z.int().min(1).max(2_000_000).nullable().optional().meta({
      description: 'As a spreadsheet counts; null: the list has no headers',
    }),
  })
  .meta({ id: 'ListReading' });

export const analyzeAnswer = z.object({ status: z.enum(jobStatuses), message: z.string() });

export const mappingsBody = z.strictObject({ mappings: mappingList }).meta({ id: 'MappingChange' });
const catalogue = z
  .object({
    groups: z.array(z.object({ name: z.string(), label: z.string() })),
    fields: z.array(
      z.object({
        name: z.string(),
        label: z.string(),
        group: z.string(),
        required: z.boolean(),
        max_length: z.int().meta({ description: 'In characters' }),
        transform: z.enum(transforms).meta({ description: 'Used where a mapping names none' }),
      }),
    ),
    transforms: z.array(
      z.object({
        name: z.enum(transforms),
        label: z.string(),
        fills: z.array(z.string()).meta({ description: 'Of a split: its fields, the first is the target' }),
        for_custom_fields: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'MappingCatalogue', description: 'The person fields and transforms that a mapping can use' });
export const mappingsAnswer = z.object({
  status: z.enum(jobStatuses),
  mappings: z.array(shownMapping),
  unmapped: z.array(z.string()),
  warnings: z.array(z.string()),
  template_id: z.string().nullable().meta({ description: 'The template that the mappings were taken from' }),
  catalogue,
});

export const validateAnswer = z.object({
  status: z.enum(jobStatuses),
  ...counted,
  errors: z.array(finding),
  warnings: z.array(finding),
  summary,
  tenant_duplicates: tenantDuplicates,
});

export const findingsAnswer = validateAnswer.extend({ validated_at: timestamp, cells: foundCells });

export const executeBody = z
  .strictObject({
    skip_duplicates: z.boolean().default(true),
    update_existing: z.boolean().default(false),
    duplicates_in_file: z.enum(duplicateChoices).optional().meta({
      description:
        'Which of several rows for one person is imported: the first, the last, or the first with its empty fields filled from the others. Default: the tenant gets all of them, and the other options apply',
    }),
    tags: z.array(tag).max(100).default([]),
    list_name: z.string().trim().min(1).max(200).optional().meta({ description: 'Default: the file’s name' }),
  })
  .meta({ id: 'ImportOptions' });
export const executeAnswer = z.object({ status: z.enum(jobStatuses), progress: progressBody });
export const statusAnswer = z.object({
  job_id: z.string(),
  status: z.enum(jobStatuses),
  progress: progressBody,
  import_result: importResult.nullable(),
});
const importPicture = z.object({
  job_id: z.string(),
  status: z.enum(jobStatuses),
  progress: progressBody,
  /** Rows that the running check has read. */
  check: z.object({ total: count, processed: count }).optional(),
});
/** The messages of an import's stream: each shows all of its state. */
export const importStream = {
  progress: importPicture.extend({ type: z.literal('progress') }),
  complete: importPicture.extend({ type: z.literal('complete'), import_result: importResult.nullable() }),
};

export const cancelAnswer = z.object({ job_id: z.string(), status: z.enum(jobStatuses), message: z.string() });
export const undoAnswer = z.object({
  status: z.enum(jobStatuses),
  message: z.string(),
  removed: count.meta({ description: 'Persons removed from the tenant' }),
  kept: count.meta({ description: 'Persons kept because they were changed since' }),
});
export const historyQuery = pagingQuery();

/** Mappings for viewers: a header, or a field named after it, may be a person's data if the header row was chosen wrongly. */
export const hideHeaders = <Mapping extends { source: string; target: MappingTarget }>(
  mappings: readonly Mapping[],
): Mapping[] =>
  mappings.map((mapping, index) => {
    const isCustom = mapping.target.startsWith('custom_fields.');
    const target: MappingTarget = isCustom ? `custom_fields.column_${index + 1}` : mapping.target;
    return { ...mapping, source: `Column ${index + 1}`, target };
  });

/** A list for a role: viewers see the counts of its findings, not its headers. */
export function visibleTo(role: Role, job: ImportJob): ImportJob {
  if (may(role, 'operate')) return job;
  const { mappings, validation } = job;
  return {
    ...job,
    mappings: mappings && hideHeaders(mappings.map(({ alternatives: _, ...mapping }) => mapping)),
    mappingWarnings: null,
    validation: validation && {
      ...validation,
      summary: validation.summary.map((found) => ({ ...found, column: null })),
    },
  };
}

export const shownJob = (whole: ImportJob, role: Role): z.input<typeof jobBody> => shown(visibleTo(role, whole), role);

const shown = (job: ImportJob, role: Role): z.input<typeof jobBody> => ({
  id: job.id,
  job_id: job.id,
  tenant_id: job.tenantId,
  filename: job.filename,
  file_path: may(role, 'operate') ? job.filePath : null,
  file_size: job.fileSize,
  row_count: job.rowCount,
  status: job.status,
  mappings: job.mappings ?? [],
  validation_result: job.validation && { ...job.validation, duplicate_count: duplicateCount(job.validation) },
  import_result: job.result,
  import_options: job.options && {
    skip_duplicates: job.options.skipDuplicates,
    update_existing: job.options.updateExisting,
    duplicates_in_file: job.options.duplicatesInFile ?? null,
    tags: job.options.tags,
    list_name: job.options.listName,
  },
  created_at: toTimestamp(job.createdAt),
  updated_at: toTimestamp(job.updatedAt),
  created_by: job.createdBy,
  file_removed_at: job.fileRemovedAt ? toTimestamp(job.fileRemovedAt) : null,
});

/** How a list was read, and its first rows. */
export function shownPreview({ layout, rowCount }: ImportJob, sample: ListSample, rows: number) {
  const { headers, headerRow, sheet, sheets: allSheets, format, encoding, delimiter } = layout;
  return {
    headers,
    sample_rows: sample.rows
      .slice(0, rows)
      .map((cells) => Object.fromEntries(headers.map((header, at) => [header, cells[at] ?? '']))),
    total_rows: rowCount,
    header_row: headerRow,
    sheet,
    sheets: allSheets,
    format,
    encoding,
    delimiter,
    first_rows: sample.firstRows.map(({ fileRow, cells }) => ({ row: fileRow, cells })),
    warnings: sample.warnings,
  };
}

export const shownStatus = (job: ImportJob) => ({
  job_id: job.id,
  status: job.status,
  progress: job.progress ?? noProgress(job.rowCount),
  import_result: job.result,
});
