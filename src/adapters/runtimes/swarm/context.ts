import type Docker from 'dockerode';
import type { AuthConfig } from 'dockerode';
import type { Logger } from '../../../lib/logger.ts';
import type { Engine } from '../engine/client/docker-client.ts';

/** What the parts of the Swarm runtime share. */
export interface SwarmContext {
  /**
   * Calls the first manager that answers and has a leader, the others after it, for at most 20 s in all, and again for a minute
   * while they elect a leader. A lost answer may have been carried out: the request is then sent again to the next one.
   * @throws AppError runtime_unavailable when none does
   */
  call<T>(request: (docker: Docker) => Promise<T>): Promise<T>;
  /** Like `call` for answers that may be silent for long: followed logs, events. */
  follow<T>(request: (docker: Docker) => Promise<T>): Promise<T>;
  /** The engines of DOCKER_HOST, for what concerns one machine: its containers, its images. */
  engines: readonly Engine[];
  /** This manager's id, in the label of everything it creates. */
  instance: string;
  logger: Logger;
  /** SWARM_STORAGE: the directory that every node has at this path. */
  storage: string;
  /** Credentials at SWARM_REGISTRY, for engines and nodes. */
  auth: AuthConfig | undefined;
}
