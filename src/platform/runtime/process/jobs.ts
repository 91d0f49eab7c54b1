import { newId } from '../../../kernel/ids.ts';
import type { JobSpec, TenantSpace, Work } from '../runtime.ts';
import { endProcesses } from './end-processes.ts';
import { runOwnLine } from './own-lines.ts';
import type { Environments } from './unit-environment.ts';
import type { Marks } from './unit-mark.ts';

/** Single runs of a command in a unit's environment. */
export interface Jobs {
  run(job: JobSpec, work: Work): Promise<{ exitCode: number | null; timedOut: boolean }>;
  /** Ends what runs for a tenant and waits for it. */
  endAll(tenant: TenantSpace): Promise<void>;
}

export function createJobs(options: { marks: Marks; environments: Environments }): Jobs {
  const { marks, environments } = options;
  return {
    async run(job, work) {
      const mark = marks.of(job.tenant, 'job', newId());
      const environment = environments.for(job.environment, { mark, port: job.definition.port });
      const { exitCode, timedOut } = await runOwnLine(
        { line: job.command, cwd: job.release.checkout, environment, mark, timeoutMs: job.timeoutMs },
        work,
      );
      return { exitCode, timedOut };
    },
    endAll: (tenant) =>
      endProcesses({
        marked(text) {
          const mark = marks.read(text);
          return mark?.tenantId === tenant.id && mark.role === 'job';
        },
      }),
  };
}
