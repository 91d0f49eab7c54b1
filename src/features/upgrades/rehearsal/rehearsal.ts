import { z } from 'zod';
import type { DatabaseContents, DatabaseSchema } from '../../../adapters/databases/tenant-database.ts';
import { liveRelease } from '../../tenants/tenant.ts';

/** A column or key before and after the migrations; null: it does not exist. */
const part = z.object({
  name: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
export type PartChange = z.output<typeof part>;

const tableChange = z.object({
  table: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  columns: z.array(part),
  indexes: z.array(part),
});
export type TableChange = z.output<typeof tableChange>;

const rowCount = z.object({ table: z.string(), before: z.int().nullable(), after: z.int().nullable() });
export type RowChange = z.output<typeof rowCount>;

/** The result of a rehearsal. */
export const findings = z.object({
  ok: z.boolean(),
  /** Scripts by name, in the order they started. */
  scripts: z.array(z.object({ name: z.string(), ms: z.int() })),
  failure: z
    .object({
      step: z.string(),
      script: z.string().nullable(),
      message: z.string(),
      /** The last lines of its output. */
      output: z.array(z.string()),
    })
    .nullable(),
  /** How long copying the database took. */
  copyMs: z.int(),
  schema: z.array(tableChange),
  rows: z.array(rowCount),
  /** Checks that were skipped, and why. */
  notes: z.array(z.string()),
});
export type Findings = z.output<typeof findings>;

/** A rehearsal's request; never changes. */
export const rehearsalInput = z.object({
  version: z.string().nullable(),
  commit: z.string(),
  /** The version that was deployed. */
  previous: z.string().nullable().default(null),
  createdBy: z.string(),
});
export type RehearsalInput = z.output<typeof rehearsalInput>;

export const rehearsalState = z.object({
  release: liveRelease.optional(),
  /** The code of a business error that ended it. */
  refusal: z.string().optional(),
  findings: findings.optional(),
});
export type RehearsalState = z.output<typeof rehearsalState>;

/** The differences between two schemas, by table name. */
export function schemaChanges(before: DatabaseSchema, after: DatabaseSchema): TableChange[] {
  return namesOf(before, after).flatMap((table): TableChange[] => {
    const [old, current] = [before[table], after[table]];
    const columns = partChanges(old?.columns, current?.columns);
    const indexes = partChanges(old?.indexes, current?.indexes);
    if (!old) return [{ table, change: 'added', columns, indexes }];
    if (!current) return [{ table, change: 'removed', columns, indexes }];
    return columns.length + indexes.length > 0 ? [{ table, change: 'changed', columns, indexes }] : [];
  });
}

function partChanges(before: Record<string, string> = {}, after: Record<string, string> = {}): PartChange[] {
  return namesOf(before, after).flatMap((name): PartChange[] => {
    const [old = null, current = null] = [before[name], after[name]];
    if (old === current) return [];
    const change = old === null ? 'added' : current === null ? 'removed' : 'changed';
    return [{ name, change, before: old, after: current }];
  });
}

/** The row counts of every table before and after. */
export const rowChanges = (before: DatabaseContents, after: DatabaseContents): RowChange[] =>
  namesOf(before, after).map((table) => ({
    table,
    before: before[table]?.rows ?? null,
    after: after[table]?.rows ?? null,
  }));

const namesOf = (one: object, other: object): string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
