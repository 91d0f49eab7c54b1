import type { WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../../adapters/events/bus.ts';
import type { Store } from '../../../adapters/store/store.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Tenants } from '../../tenants/tenants.ts';
import type { UpgradeService } from '../single/service.ts';
import type { RingSize } from './rollout/rings.ts';

/** `paused` (by a user) and `halted` (after too many failures) start no upgrade until resumed. Running upgrades always finish. */
export const fleetStatuses = ['pending', 'running', 'paused', 'halted', 'cancelled', 'completed'] as const;
export type FleetStatus = (typeof fleetStatuses)[number];

export const memberStatuses = ['waiting', 'upgrading', 'succeeded', 'failed', 'skipped'] as const;
export type MemberStatus = (typeof memberStatuses)[number];

/** How a fleet upgrade proceeds. */
export interface FleetPlanOptions {
  targetVersion: string;
  rings: readonly RingSize[];
  /** One failure more halts the fleet upgrade. */
  maxFailures: number;
  /** Seconds between the end of a ring and the start of the next. */
  pauseBetweenS: number;
  backupDb: boolean;
  runMigrations: boolean;
  /** Includes tenants for which this version failed before. */
  retryFailed: boolean;
}

/** What fleet upgrades need of the rest of the manager. */
export interface FleetsDeps {
  store: Store;
  clock: Clock;
  logger: Logger;
  events: EventBus;
  writeAuditLog: WriteAuditLog;
  tenants: Pick<Tenants, 'find' | 'list' | 'repositoryOf'>;
  upgrades: Pick<UpgradeService, 'begin' | 'outcome' | 'failuresOf'>;
  /** The tags of a repository, with their commits. */
  tagsOf(address: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** What a new health check finds wrong with a tenant; undefined: nothing relevant, or the tenant is stopped. */
  healthProblem(tenantId: string): Promise<string | undefined>;
  /** How many upgrades may run at a time. */
  concurrency(): Promise<number>;
  /** How long a tenant may take to become healthy when its ring is checked, in ms. */
  healthTimeoutMs: number;
  /** The delay after which a busy tenant or an unavailable store is tried again, in ms. */
  retryDelayMs: number;
}
