import type Docker from 'dockerode';
import type { Logger } from '../../../lib/logger.ts';

/** What the runtimes of the Docker Engine API share. */
export interface EngineContext {
  /** For requests that may be silent for long: builds, pulls, follows and waits. */
  docker: Docker;
  /** For all other requests: with a frozen engine they fail after some minutes, as `runtime_unavailable`. */
  dockerWithTimeout: Docker;
  /** This manager's id, in the label of everything it creates. */
  instance: string;
  logger: Logger;
}
