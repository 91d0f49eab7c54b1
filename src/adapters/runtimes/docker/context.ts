import type Docker from 'dockerode';
import type { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { ImageUsers } from './images/image-user.ts';
import type { PlanFacts } from './units/container-plan.ts';

/** Shared parts of this runtime. */
export interface DockerContext {
  /** For requests that may be silent for long: builds, pulls, follows and waits. */
  docker: Docker;
  /** For all other requests: with a frozen engine they fail after some minutes, as `runtime_unavailable`. */
  dockerWithTimeout: Docker;
  /**
   * Locks by tenant id, for starting, stopping, renaming or replacing its units: what is done by name is done to the container
   * that was inspected.
   */
  tenantLocks: KeyedLock;
  instance: string;
  logger: Logger;
  users: ImageUsers;
  /** Facts for planning, gathered when the engine answers. */
  facts(): Promise<PlanFacts>;
  /** The container the manager runs in; undefined: it runs on the host. */
  managerContainer(): Promise<string | undefined>;
}
