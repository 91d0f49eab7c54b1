import type {
  DatabaseCheck,
  DatabaseDump,
  DumpWork,
  RowCounts,
  ScratchDatabase,
} from '../../adapters/databases/tenant-database.ts';
import type { WriteJournal } from '../../adapters/events/journal-entry.ts';
import type { BucketLocation, ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';
import type { DatabaseKind, LiveRelease, Tenant, TenantStatus } from '../tenants/tenant.ts';

import type { Keep } from './schedule/retention.ts';

export interface Work {
  log(line: string): void;
  signal: AbortSignal;
}

/** A tenant's database as backups need it. */
export interface BackupDatabase {
  readonly engine: 'mariadb' | 'sqlite';
  readonly dumpFormat: 'sql' | 'sqlite';
  /** Sees to it that it runs and can be used. */
  ensure(work: Work): Promise<unknown>;
  check(options: { timeoutMs: number }): Promise<DatabaseCheck>;
  dump(work: DumpWork): DatabaseDump;
  load(content: AsyncIterable<Uint8Array>, work: DumpWork): Promise<void>;
  rowCounts(work: DumpWork): Promise<RowCounts>;
  scratch(work: DumpWork): Promise<ScratchDatabase>;
  dropScratchDatabases(): Promise<void>;
}

/** The bucket that backups are copied to, where there is one. */
export interface Offsite {
  /** `prefix` is what names in the bucket begin with; null: backups are kept here alone. */
  destination(): Promise<{ place: BucketLocation; prefix: string } | null>;
  /** With the keys of now. @throws Error where none are set */
  open(place: BucketLocation): Promise<ObjectStore>;
}

/** What backups need of the rest of the house. */
export interface BackupDependencies {
  store: Store;
  engine: OperationEngine;
  clock: Clock;
  journal: WriteJournal;
  runtime: Pick<Runtime, 'data' | 'inspect' | 'start' | 'stop'>;
  tenants: {
    get(id: string): Promise<Tenant>;
    setStatus(id: string, status: TenantStatus): Promise<unknown>;
    each(options?: { deployedOnly?: boolean }): AsyncIterable<Tenant>;
  };
  databaseOf(tenant: Tenant, kind: DatabaseKind): Promise<BackupDatabase>;
  /** Resolves when both units run the release and answer; throws with the reason, also when `timeoutMs` is up. */
  prove(tenant: Tenant, release: LiveRelease, work: Work, timeoutMs: number): Promise<void>;
  /** Runs the deployed version's migrations on the database as it is. */
  migrate(tenant: Tenant, work: Work): Promise<void>;
  healthTimeoutMs: number;
  settings: {
    /** When tenants without a schedule of their own are backed up; empty: never. */
    defaultCron(): Promise<string>;
    defaultKeep(): Promise<Keep>;
    /** How many backups of each other kind are kept (safety, upgrade). */
    keptOfOwnKinds(): Promise<number>;
  };
  offsite: Offsite;
  /** Where backups are kept (absolute), a directory a tenant. */
  directory: string;
  /** Names in a tenant's data directory that are the database's, not the application's own files. */
  databaseFiles: readonly string[];
}
