import { z } from 'zod';
import { type DatabaseContents, databaseEngines, uncoveredCodes } from '../../../adapters/databases/tenant-database.ts';

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
  /** null: the database could not be counted at the dump's moment. */
  row_counts: z.record(z.string(), z.int()).nullable(),
  /** By table; missing: none were made. */
  checksums: z.record(z.string(), z.string()).optional(),
  /** Missing: not known. */
  not_covered: z.array(z.object({ code: z.enum(uncoveredCodes), table: z.string() })).optional(),
  parts: z.array(part),
});
export type Manifest = z.output<typeof manifest>;

/**
 * What the database held at the backup's moment; null: that is not known.
 * @param counts of the catalogue
 */
export function contentsIn(counts: Manifest['row_counts'], { checksums }: Manifest): DatabaseContents | null {
  if (!counts) return null;
  const tables = Object.entries(counts).map(([table, rows]) => {
    const checksum = checksums?.[table];
    return [table, checksum === undefined ? { rows } : { rows, checksum }] as const;
  });
  return Object.fromEntries(tables);
}

export const partNames = {
  sql: 'database.sql.gz',
  sqlite: 'database.sqlite.gz',
  environment: 'env',
  files: 'files.tar.gz',
} as const;
export type PartName = (typeof partNames)[keyof typeof partNames];
