import { z } from 'zod';

/** Unknown entries are passed over: a newer manager may send more than this version knows. */
export const bulkImportRequest = z.object({
  file_path: z.string().min(1),
  mappings: z.record(z.string(), z.string()),
  batch_id: z.string().trim().min(1).max(100),
  list_name: z.string().trim().max(200).default(''),
  skip_duplicates: z.boolean().default(true),
  update_existing: z.boolean().default(false),
  tags: z.array(z.string().trim().min(1).max(100)).max(100).default([]),
});

/** @typedef {z.output<typeof bulkImportRequest>} BulkImportRequest */
