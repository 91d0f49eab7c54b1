import type { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import type { PlanFacts } from '../engine/container-plan.ts';
import type { EngineContext } from '../engine/context.ts';
import type { ImageUsers } from '../engine/images/image-user.ts';

/** Shared parts of this runtime. */
export interface DockerContext extends EngineContext {
  /**
   * Locks by tenant id, for starting, stopping, renaming or replacing its units: what is done by name is done to the container
   * that was inspected.
   */
  tenantLocks: KeyedLock;
  users: ImageUsers;
  /** Facts for planning, gathered when the engine answers. */
  facts(): Promise<PlanFacts>;
  /** The container the manager runs in; undefined: it runs on the host. */
  managerContainer(): Promise<string | undefined>;
}
