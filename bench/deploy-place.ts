import type { Application } from './deploy-applications.ts';
import type { DockerCli } from './docker.ts';
import type { Stage } from './harness.ts';

/** Where a series is measured. */
export interface Place {
  stage: Stage;
  application: Application;
  benchLabel: string;
  cli: DockerCli;
}
