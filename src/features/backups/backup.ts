import type { WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { BucketLocation, ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { Health } from '../health/health.ts';
import type { DatabaseOf, LiveRelease } from '../tenants/tenant.ts';
import type { Tenants } from '../tenants/tenants.ts';
import type { Keep } from './schedule/retention.ts';

/** Why a backup was made; each kind has its own retention. */
export const backupKinds = ['manual', 'scheduled', 'safety', 'upgrade'] as const;
export type BackupKind = (typeof backupKinds)[number];

export const backupStatuses = ['creating', 'complete', 'failed'] as const;
export type BackupStatus = (typeof backupStatuses)[number];

/** Directories in a tenant's data that a restore uses: its new files until they take their place, and the former ones after. */
export const [incoming, former] = ['.tenantry-incoming', '.tenantry-former'] as const;
export const restoreDirectories: readonly string[] = [incoming, former];

/** The last step of a drill, which fails when it found differences. */
export const verdictStep = 'Compare with the backup';

/** How a restore drill ended. */
export interface DrillResult {
  ok: boolean;
  checkedAt: string;
  durationMs: number;
  /** Tables that differ from the backup, or the error. */
  differences: string[];
}

/** `failed`: it can't be copied because its file is missing. */
export const remoteStates = ['pending', 'stored', 'failed'] as const;
export type RemoteState = (typeof remoteStates)[number];

/** The bucket for copies of backups, if one is configured. */
export interface Offsite {
  /** `prefix` is the start of object names; null: no bucket is configured. */
  destination(): Promise<{ location: BucketLocation; prefix: string } | null>;
  /** Opens a bucket with the current keys. @throws Error if none are configured */
  open(place: BucketLocation): Promise<ObjectStore>;
}

/** What backups need of the rest of the manager. */
export interface BackupsDeps {
  store: Store;
  engine: OperationEngine;
  clock: Clock;
  writeAuditLog: WriteAuditLog;
  runtime: Runtime;
  tenants: Tenants;
  databaseOf: DatabaseOf;
  proveHealthy: Health['proveHealthy'];
  deployments: Pick<Deployments, 'migrate' | 'parts' | 'lostData' | 'rebuild'>;
  /** How long the units of a release may take to become healthy. */
  healthTimeoutMs(release: Pick<LiveRelease, 'startTimeout'>): number;
  offsite: Offsite;
  /** The last operation of each kind and tenant that succeeded or failed. */
  lastOutcomes(kinds: readonly string[]): Promise<{ subject: string; finishedAt: Date | null }[]>;
  /** The directory of all backups (absolute), with a directory per tenant. */
  directory: string;
  /** Names in a tenant's data directory that belong to the database, not to the application's own files. */
  databaseFiles: readonly string[];
  settings: {
    /** The schedule of tenants without their own; empty: none. */
    defaultCron(): Promise<string>;
    defaultKeep(): Promise<Keep>;
    /** Days between the scheduled restore drills of a tenant; 0: there are none. */
    drillDays(): Promise<number>;
    /** How many backups of the kinds safety and upgrade are kept, per kind. */
    keptOfOwnKinds(): Promise<number>;
    /** A backup that has lost more than this percent since the one before is reported; 0: none is. */
    lossPercent(): Promise<number>;
    /** What one backup may take and read at most. */
    limits(): Promise<{ hours: number; gigabytes: number }>;
  };
}
