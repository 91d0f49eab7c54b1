import type Docker from 'dockerode';
import type { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { ImageUsers } from './images/image-user.ts';
import type { PlanFacts } from './units/container-plan.ts';

/** What the parts of this runtime share. */
export interface DockerContext {
  /** For what may be silent for long: builds, pulls, what is followed or waited for. */
  docker: Docker;
  /** For all other requests: a frozen engine fails them after some minutes, as `runtime_unavailable`. */
  dockerWithTimeout: Docker;
  /**
   * Held, by the tenant's id, by whoever starts, stops, renames or replaces its units: one at a time, so that what is done by
   * name is done to the container that was looked at.
   */
  tenantLocks: KeyedLock;
  instance: string;
  logger: Logger;
  users: ImageUsers;
  /** Facts for planning, gathered once the engine answers. */
  facts(): Promise<PlanFacts>;
  /** The container the manager runs in; undefined: it runs on the host. */
  managerContainer(): Promise<string | undefined>;
}
