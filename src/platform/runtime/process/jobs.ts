import { newId } from '../../../kernel/ids.ts';
import type { JobSpec, RunCommand, TenantSpace, Work } from '../runtime.ts';
import { endProcesses } from './end-processes.ts';
import { runOwnLine } from './own-lines.ts';
import type { Environments } from './unit-environment.ts';
import type { Marks } from './unit-mark.ts';

/** Commands in a unit's environment. */
export interface Jobs {
  run<T>(job: JobSpec, work: Work, commands: (run: RunCommand) => Promise<T>): Promise<T>;
  /** Ends what runs for a tenant and waits for it. */
  endAll(tenant: TenantSpace): Promise<void>;
}

export function createJobs(options: { marks: Marks; environments: Environments }): Jobs {
  const { marks, environments } = options;
  return {
    run(job, work, commands) {
      return commands(async (line, { timeoutMs }) => {
        const mark = marks.of(job.tenant, 'job', newId());
        const environment = environments.for(job.environment, { mark, port: job.definition.port });
        const own = { line, cwd: job.release.checkout, environment, mark, timeoutMs };
        const { exitCode, timedOut } = await runOwnLine(own, work);
        return { exitCode, timedOut };
      });
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
