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

/** Where a tenant's data is; every function is idempotent. */
export interface TenantDatabase {
  readonly engine: DatabaseEngine;
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
