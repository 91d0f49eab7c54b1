import type Docker from 'dockerode';
import type { Logger } from '../../../kernel/logger.ts';
import type { PlanFacts } from './container-plan.ts';
import type { ImageUsers } from './image-user.ts';

/** What the parts of this runtime share. */
export interface DockerContext {
  docker: Docker;
  instance: string;
  logger: Logger;
  users: ImageUsers;
  /** Facts for planning, gathered once the engine answers. */
  facts(): Promise<PlanFacts>;
  /** The container the manager runs in; undefined: it runs on the host. */
  managerContainer(): Promise<string | undefined>;
}
