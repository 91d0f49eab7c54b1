import { newId } from '../../../../lib/ids.ts';
import type { JobSpec, RunCommand, TenantSpace, Work } from '../../runtime.ts';
import { runOwnLine } from './logs/runtime-lines.ts';
import { endProcesses } from './processes/end-processes.ts';
import type { Environments } from './units/unit-environment.ts';
import type { Marks } from './units/unit-mark.ts';
import type { WorkingCopies } from './working-copies.ts';

/** Commands in a unit's environment. */
export interface Jobs {
  run<T>(job: JobSpec, work: Work, commands: (run: RunCommand) => Promise<T>): Promise<T>;
  /** Ends what runs for a tenant and waits for it. */
  endAll(tenant: TenantSpace): Promise<void>;
}

export function createJobs(options: { marks: Marks; environments: Environments; copies: WorkingCopies }): Jobs {
  const { marks, environments, copies } = options;
  return {
    run(job, work, commands) {
      return copies.forJob(job, work.signal, (cwd) =>
        commands(async (line, { timeoutMs }) => {
          const mark = marks.of(job.tenant, 'job', newId());
          const environment = environments.for(job.environment, { mark, port: job.definition.port });
          const { exitCode, timedOut } = await runOwnLine({ line, cwd, environment, mark, timeoutMs }, work);
          return { exitCode, timedOut };
        }),
      );
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
