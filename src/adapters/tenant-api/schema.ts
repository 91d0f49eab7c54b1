import { z } from 'zod';

const count = z.int().min(0);

/** A tenant's answer to `GET /api/stats`; further fields are dropped. */
export const tenantStats = z.object({
  persons: count,
  events: count,
  tags: count,
  segments: count,
  communications: count,
  database_size_mb: count,
});
export type TenantStats = z.output<typeof tenantStats>;

/** A tenant's answer to `GET /api/persons/count`. */
export const tenantPersonsCount = z.object({
  total: count,
  by_status: z.object({ active: count, inactive: count }),
});
export type TenantPersonsCount = z.output<typeof tenantPersonsCount>;

/** A tenant's answer to `POST /api/persons/bulk-import`; `row` counts in the file, 1 is the first after its header. */
export const bulkImportAnswer = z.object({
  batch_id: z.string(),
  total: count,
  imported: count,
  updated: count,
  duplicates: count,
  failed: count,
  errors: z
    .array(z.object({ row: z.int().min(1), message: z.string().transform((text) => text.slice(0, 500)) }))
    .default([]),
});
export type BulkImportAnswer = z.output<typeof bulkImportAnswer>;

/** A tenant's answer to `POST /api/persons/bulk-import/check`: the rows of existing persons. */
export const duplicatesAnswer = z.object({
  total: count,
  duplicates: count,
  rows: z.array(z.int().min(1)).default([]),
});
export type DuplicatesAnswer = z.output<typeof duplicatesAnswer>;

/** A tenant's answer to `DELETE /api/persons/bulk-import/{batch_id}`. */
export const removedBatchAnswer = z.object({ batch_id: z.string(), removed: count, kept: count.default(0) });
export type RemovedBatchAnswer = z.output<typeof removedBatchAnswer>;
