export type DatabaseEngine = 'mariadb' | 'sqlite';

/** Whose database it is. */
export interface DatabaseOwner {
  tenant: { id: string; slug: string; directory: string };
  /** The tenant's own, kept for its life; never logged. */
  password: string;
  /** The directory for a SQLite file as the tenant's units see it (absolute). */
  dataDirectory: string;
}

export interface DatabaseCheck {
  status: 'healthy' | 'unhealthy';
  /** Data and indexes, in MiB to two places; null where it can't be known. */
  size_mb: number | null;
  /** Open connections beside the check's own; null where there is no such thing. */
  connections: number | null;
  error?: string;
  /** The database lies where the manager can't look: what the application says of it counts. */
  unseen?: true;
}

interface Work {
  log(line: string): void;
  signal: AbortSignal;
}

/** Rows by table, tables without rows included. */
export type RowCounts = Record<string, number>;

/** One consistent picture of a database that may be in use, as a stream larger than the memory. */
export interface DatabaseDump {
  /** Read it once. @throws Error where the dump is not whole; the signal's reason */
  content: AsyncIterable<Uint8Array>;
  /** The rows in this very picture. @throws Error before the content has been read to its end */
  rowCounts(): RowCounts;
}

/** A table's columns and indexes (keys and constraints included), by name, each as the database describes it. */
export interface TableSchema {
  columns: Record<string, string>;
  indexes: Record<string, string>;
}

export type DatabaseSchema = Record<string, TableSchema>;

export interface DumpWork {
  signal: AbortSignal;
  /** Where a copy may be laid aside meanwhile; the caller removes it. */
  directory: string;
}

/** A temporary database beside the tenant's, which the tenant's account may use. */
export interface ScratchDatabase {
  /** As the tenant's units see it; holds the password. */
  url: string;
  load(content: AsyncIterable<Uint8Array>, work: DumpWork): Promise<void>;
  rowCounts(work: DumpWork): Promise<RowCounts>;
  schema(work: DumpWork): Promise<DatabaseSchema>;
  drop(): Promise<void>;
}

/** Where a tenant's data is; every function is idempotent. */
export interface TenantDatabase {
  readonly engine: DatabaseEngine;
  /** What `dump` gives and `load` takes: statements, or a database file. */
  readonly dumpFormat: 'sql' | 'sqlite';
  /** DATABASE_URL as the units see it; holds the password. Asks nobody. */
  url(owner: DatabaseOwner): string;
  /**
   * Makes the database and its account where they are not, and resolves when the account can use it.
   * `created` is true only for a database that is new and empty, so that removing it again takes nothing along.
   */
  ensure(owner: DatabaseOwner, work: Work): Promise<{ created: boolean }>;
  /** Never throws; ends within `timeoutMs`. */
  check(owner: DatabaseOwner, options: { timeoutMs: number }): Promise<DatabaseCheck>;
  /** Removes the access, and with `data` the data too. */
  remove(owner: DatabaseOwner, options: { data: boolean }): Promise<void>;
  dump(owner: DatabaseOwner, work: DumpWork): DatabaseDump;
  /** Replaces all that is in the database; the tenant's units must not run. @throws RefusedContent; Error where not all could be loaded */
  load(owner: DatabaseOwner, content: AsyncIterable<Uint8Array>, work: DumpWork): Promise<void>;
  rowCounts(owner: DatabaseOwner, work: DumpWork): Promise<RowCounts>;
  scratch(owner: DatabaseOwner, work: DumpWork): Promise<ScratchDatabase>;
  /** Drops what scratch databases a manager that was killed has left of this tenant. */
  dropScratches(owner: DatabaseOwner): Promise<void>;
}

/** What was to be loaded is not whole, or not what the database takes. Any other failure of a load says nothing of its content. */
export class RefusedContent extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RefusedContent';
  }
}

/** Bytes as the checks show them. */
export const toMebibytes = (bytes: number): number => Math.round((bytes / 1024 ** 2) * 100) / 100;

/** A check that found nothing. */
export const unhealthy = (error: string): DatabaseCheck => ({
  status: 'unhealthy',
  size_mb: null,
  connections: null,
  error,
});
