import type { Work } from '../../lib/concurrency/work.ts';

export const databaseEngines = ['mariadb', 'sqlite'] as const;
export type DatabaseEngine = (typeof databaseEngines)[number];

/** Where a tenant's data can be. */
export const databaseKinds = ['sqlite', 'mariadb-container', 'mariadb-shared'] as const;
export type DatabaseKind = (typeof databaseKinds)[number];

/** A database's owner. */
export interface DatabaseOwner {
  tenant: { id: string; slug: string; directory: string };
  /** The tenant's own, for its life; never logged. */
  password: string;
  /** The directory for a SQLite file as the tenant's units see it (absolute). */
  dataDirectory: string;
  /** Which of its two databases is the tenant's own; the other is the spare one, which need not exist. */
  slot: DatabaseSlot;
}

export type DatabaseSlot = 0 | 1;
export const otherSlot = (slot: DatabaseSlot): DatabaseSlot => (slot === 0 ? 1 : 0);

/** Why a database fails its check, for programs. */
export const databaseProblems = [
  'unreachable',
  'slow',
  'refused',
  'missing',
  'full_connections',
  'locked',
  'damaged',
  'other',
] as const;
export type DatabaseProblem = (typeof databaseProblems)[number];

export interface DatabaseCheck {
  status: 'healthy' | 'unhealthy';
  /** Data and indexes, in MiB with two decimals; null if unknown. */
  size_mb: number | null;
  /** Open connections besides the check's own; null if there is no such thing. */
  connections: number | null;
  /** How long the longest query in it has been running, in s; missing: not known. */
  longest_query_s?: number;
  error?: string;
  /** The kind of `error`. */
  problem?: DatabaseProblem;
  /** Not accessible to the manager, which relies on the application's own report. */
  unseen?: true;
}

export interface TableContent {
  rows: number;
  /** Over all values as a dump writes them; none where a database is copied as it is. */
  checksum?: string;
}
/** By table, those without rows included. */
export type DatabaseContents = Record<string, TableContent>;

/** What a dump cannot bring back: the history of a system-versioned table, digits of FLOAT columns beyond the sixth. */
export const uncoveredCodes = ['history', 'float_digits'] as const;
export interface Uncovered {
  code: (typeof uncoveredCodes)[number];
  table: string;
}

/** What the database itself counts at a dump's moment; null: it could not, as another transaction kept its tables. */
export interface DatabaseFindings {
  contents: DatabaseContents | null;
  uncovered: readonly Uncovered[];
}

/** A consistent snapshot of a database that may be in use, as a stream larger than the memory. */
export interface DatabaseDump {
  /** Read it once. @throws Error when the dump is incomplete, or could not be loaded; the signal's reason */
  content: AsyncIterable<Uint8Array>;
  /** @throws Error before the content has been read to its end */
  findings(): DatabaseFindings;
}

/** A table's columns and indexes (keys and constraints included), by name, each as the database describes it. */
export interface TableSchema {
  columns: Record<string, string>;
  indexes: Record<string, string>;
}

export type DatabaseSchema = Record<string, TableSchema>;

export interface DumpWork {
  signal: AbortSignal;
  /** A path for a temporary copy; the caller removes it. */
  directory: string;
}

/** The tenant's spare database, on the same server, which the tenant's account may use. */
export interface ScratchDatabase {
  /** As the tenant's units see it; holds the password. */
  url: string;
  load(content: AsyncIterable<Uint8Array>, work: DumpWork): Promise<void>;
  contents(work: DumpWork): Promise<DatabaseContents>;
  schema(work: DumpWork): Promise<DatabaseSchema>;
  drop(): Promise<void>;
}

/** A tenant's database; every function is idempotent. */
export interface TenantDatabase {
  readonly engine: DatabaseEngine;
  /** The format of `dump` and `load`: statements, or a database file. */
  readonly dumpFormat: 'sql' | 'sqlite';
  /** DATABASE_URL as the units see it; contains the password. Makes no requests. */
  url(owner: DatabaseOwner): string;
  /**
   * Creates the database and its account if they are missing, and resolves when the account can use it. `created` is true only
   * for a new, empty database, which can be removed again without loss.
   */
  ensure(owner: DatabaseOwner, work: Work): Promise<{ created: boolean }>;
  /**
   * Of a database that a deployed tenant has: what holds its data and does not exist, by its name; undefined: nothing is known to be
   * gone. @throws AppError runtime_unavailable, database_unavailable
   */
  missingData(owner: DatabaseOwner, signal: AbortSignal): Promise<string | undefined>;
  /** Never throws; ends within `timeoutMs`. */
  check(owner: DatabaseOwner, options: { timeoutMs: number }): Promise<DatabaseCheck>;
  /** Removes the access, and with `data` the data too. */
  remove(owner: DatabaseOwner, options: { data: boolean }): Promise<void>;
  dump(owner: DatabaseOwner, work: DumpWork): DatabaseDump;
  /** Replaces the database's content; the tenant's units must not run. @throws RefusedContent; Error when loading failed */
  load(owner: DatabaseOwner, content: AsyncIterable<Uint8Array>, work: DumpWork): Promise<void>;
  contents(owner: DatabaseOwner, work: DumpWork): Promise<DatabaseContents>;
  /** Creates the spare database, empty: for a test, or to take its place. */
  scratch(owner: DatabaseOwner, work: DumpWork): Promise<ScratchDatabase>;
  /** Drops the spare database, if there is one. */
  dropScratch(owner: DatabaseOwner): Promise<void>;
}

type WithoutOwner<T> = T extends (owner: DatabaseOwner, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : T;

/** One tenant's database: a `TenantDatabase` bound to its owner. */
export type BoundDatabase = {
  readonly [Member in Exclude<keyof TenantDatabase, 'url'>]: WithoutOwner<TenantDatabase[Member]>;
};

/** The content to be loaded is incomplete or invalid. Other failures of a load don't concern the content. */
export class RefusedContent extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RefusedContent';
  }
}

/** Bytes in the unit of the checks. */
export const toMebibytes = (bytes: number): number => Math.round((bytes / 1024 ** 2) * 100) / 100;

/** A successful check. */
export const unhealthy = (error: string, problem: DatabaseProblem = 'other'): DatabaseCheck => ({
  status: 'unhealthy',
  size_mb: null,
  connections: null,
  error,
  problem,
});
