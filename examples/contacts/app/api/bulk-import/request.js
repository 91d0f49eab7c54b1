import { z } from 'zod';

const file = {
  file_path: z.string().min(1),
  mappings: z.record(z.string(), z.string()),
};
export const batchId = z.string().trim().min(1).max(100);
const shortText = z.string().trim().max(255).optional();

/** Unknown fields are ignored: a newer manager may send more than this version knows. */
export const bulkImportRequest = z.object({
  ...file,
  batch_id: batchId,
  /** A batch may have several files: the number of this one, and the number of rows of the batch before it. */
  part: z.int().min(1).default(1),
  row_offset: z.int().min(0).max(2_000_000_000).default(0),
  list_name: z.string().trim().max(200).default(''),
  skip_duplicates: z.boolean().default(true),
  update_existing: z.boolean().default(false),
  tags: z.array(z.string().trim().min(1).max(100)).max(100).default([]),
  /** Where the list comes from, as the manager knows it. */
  import_source: shortText,
  import_filename: shortText,
  import_date: z.iso.datetime().optional(),
});

/** @typedef {z.output<typeof bulkImportRequest>} BulkImportRequest */

/** The request that only searches for people. */
export const checkRequest = z.object(file);
