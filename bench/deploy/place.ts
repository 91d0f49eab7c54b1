import type { DockerCli } from '../harness/docker.ts';
import type { Stage } from '../harness/harness.ts';
import type { Application } from './applications.ts';

/** What a series is measured with. */
export interface Place {
  stage: Stage;
  application: Application;
  benchLabel: string;
  cli: DockerCli;
}
