import { z } from 'zod';
import type { DatabaseSchema, DumpWork, ScratchDatabase } from '../../../adapters/databases/tenant-database.ts';
import { type LiveRelease, liveRelease, type Tenant } from '../../tenants/tenant.ts';
import type { UpgradeDependencies, Work } from '../dependencies.ts';

/** A table's rows, columns and keys before and after; null: there is no such table then. */
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

/** What a rehearsal has found. */
export const findings = z.object({
  ok: z.boolean(),
  /** Scripts by name, in the order they were begun. */
  scripts: z.array(z.object({ name: z.string(), ms: z.int() })),
  failure: z
    .object({
      step: z.string(),
      script: z.string().nullable(),
      message: z.string(),
      /** The last lines that it said. */
      output: z.array(z.string()),
    })
    .nullable(),
  /** Copying the database took so long. */
  copyMs: z.int(),
  schema: z.array(tableChange),
  rows: z.array(rowCount),
  /** Why less was looked at than usual. */
  notes: z.array(z.string()),
});
export type Findings = z.output<typeof findings>;

/** What a rehearsal was asked to do; never changes. */
export const rehearsalInput = z.object({
  version: z.string().nullable(),
  commit: z.string(),
  /** What was deployed then. */
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

/** A tenant's database as a rehearsal needs it. */
export interface RehearsalDatabase {
  dump(work: DumpWork): { content: AsyncIterable<Uint8Array> };
}

/** What rehearsals need beside what upgrades do. */
export interface RehearsalDependencies
  extends Pick<UpgradeDependencies, 'engine' | 'journal' | 'tenants' | 'runtime' | 'source'> {
  deployments: {
    collectGarbage: UpgradeDependencies['deployments']['collectGarbage'];
    parts: Pick<UpgradeDependencies['deployments']['parts'], 'assertRoom' | 'copy' | 'build'> & {
      /** Runs a release's migrations with some entries of the environment changed. */
      migrate(
        tenant: Tenant,
        release: LiveRelease,
        work: Work,
        options: { environment: Readonly<Record<string, string>>; onScript(name: string): void },
      ): Promise<unknown>;
    };
  };
  /** Makes a scratch database beside the tenant's, which is there meanwhile, and drops it again, though the manager be killed. */
  withScratch<T>(
    tenant: Tenant,
    work: Work,
    use: (database: RehearsalDatabase, scratch: ScratchDatabase, work: DumpWork) => Promise<T>,
  ): Promise<T>;
}

/** What differs between two schemas, by table's name. */
export function schemaChanges(before: DatabaseSchema, after: DatabaseSchema): TableChange[] {
  return namesOf(before, after).flatMap((table): TableChange[] => {
    const [was, is] = [before[table], after[table]];
    const columns = partChanges(was?.columns, is?.columns);
    const indexes = partChanges(was?.indexes, is?.indexes);
    if (!was) return [{ table, change: 'added', columns, indexes }];
    if (!is) return [{ table, change: 'removed', columns, indexes }];
    return columns.length + indexes.length > 0 ? [{ table, change: 'changed', columns, indexes }] : [];
  });
}

function partChanges(before: Record<string, string> = {}, after: Record<string, string> = {}): PartChange[] {
  return namesOf(before, after).flatMap((name): PartChange[] => {
    const [was = null, is = null] = [before[name], after[name]];
    if (was === is) return [];
    return [{ name, change: was === null ? 'added' : is === null ? 'removed' : 'changed', before: was, after: is }];
  });
}

/** Every table's rows before and after. */
export const rowChanges = (before: Record<string, number>, after: Record<string, number>): RowChange[] =>
  namesOf(before, after).map((table) => ({ table, before: before[table] ?? null, after: after[table] ?? null }));

const namesOf = (one: object, other: object): string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
