import type { DockerCli } from '../harness/docker.ts';
import type { Stage } from '../harness/harness.ts';
import type { Application } from './applications.ts';

/** Where a series is measured. */
export interface Place {
  stage: Stage;
  application: Application;
  benchLabel: string;
  cli: DockerCli;
}
