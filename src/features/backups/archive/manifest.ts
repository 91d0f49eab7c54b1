import { z } from 'zod';
import { databaseEngines } from '../../../adapters/databases/tenant-database.ts';

/** One part of a backup's archive. */
const part = z.object({
  name: z.string(),
  /** Compressed size in bytes. */
  size: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Part = z.output<typeof part>;

/** `manifest.json`, the first entry of a backup's tar: describes the backup and its other entries. */
export const manifest = z.object({
  format: z.literal(1),
  id: z.string(),
  kind: z.string(),
  tenant: z.object({ id: z.string(), slug: z.string() }),
  version: z.string().nullable(),
  commit: z.string(),
  created_at: z.string(),
  engine: z.enum(databaseEngines).nullable(),
  row_counts: z.record(z.string(), z.int()).nullable(),
  parts: z.array(part),
});
export type Manifest = z.output<typeof manifest>;

export const partNames = {
  sql: 'database.sql.gz',
  sqlite: 'database.sqlite.gz',
  environment: 'env',
  files: 'files.tar.gz',
} as const;
export type PartName = (typeof partNames)[keyof typeof partNames];
