import type { EventBus } from '../../../adapters/events/bus.ts';
import type { WriteJournal } from '../../../adapters/events/journal-entry.ts';
import type { Store } from '../../../adapters/store/store.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { TenantService } from '../../tenants/service.ts';
import type { UpgradeService } from '../single/upgrade.ts';

/** What fleet upgrades need of the rest of the house. */
export interface FleetDependencies {
  store: Store;
  clock: Clock;
  logger: Logger;
  journal: WriteJournal;
  events: EventBus;
  tenants: Pick<TenantService, 'find' | 'list' | 'repositoryOf'>;
  upgrades: Pick<UpgradeService, 'begin' | 'outcome'>;
  /** What a tenant could not be upgraded to before. */
  failuresOf(tenantId: string): Promise<readonly { version: string | null; commit: string; reason: string }[]>;
  /** The tags of a repository, with their commits. */
  tagsOf(address: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** What is wrong with a tenant that should run, as a check made now finds; undefined: nothing that matters, or it is stopped. */
  healthProblem(tenantId: string): Promise<string | undefined>;
  /** How many upgrades may be under way at a time. */
  concurrency(): Promise<number>;
  /** How long a tenant may take to be healthy when its ring is looked at, in ms. */
  healthTimeoutMs: number;
  /** After how long a tenant that was busy, or a store that did not answer, is tried again, in ms. */
  retryDelayMs: number;
}
