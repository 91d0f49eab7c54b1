import { join } from 'node:path';
import type { Work } from '../../../../lib/concurrency/work.ts';
import { writeFileAtomic } from '../../../../lib/files/atomic-file.ts';
import { chown, mkdir, rm } from '../../../../lib/files/changes.ts';
import { newSecret } from '../../../../lib/ids.ts';
import type { JobSpec, RunCommand, TenantSpace } from '../../runtime.ts';
import type { Environments } from '../environment.ts';
import type { TransientNames } from './names.ts';
import type { TenantPaths } from './paths.ts';
import { systemctlIfAny } from './systemctl/systemctl.ts';
import { runTransient } from './systemctl/transient.ts';
import { environmentFile } from './units/quoting.ts';
import { limitSettings, type Setting, sandbox } from './units/sandbox.ts';

/** Commands in a unit's environment, in a unit's sandbox. */
export function createJobs({
  directory,
  names,
  paths,
  environments,
  nodeDirectory,
}: {
  /** Contains a directory per running job. */
  directory: string;
  names: TransientNames;
  paths: TenantPaths;
  environments: Environments;
  nodeDirectory: string;
}) {
  return {
    async run<T>(job: JobSpec, work: Work, commands: (run: RunCommand) => Promise<T>) {
      const { tenant, definition, release } = job;
      const user = await paths.ensure(tenant);
      const id = newSecret(9);
      const own = join(directory, tenant.id, id);
      // The next command finds what one leaves in /tmp.
      const temporary = join(own, 'tmp');
      await mkdir(temporary, { recursive: true, mode: 0o700 });
      try {
        await chown(temporary, user.uid, user.gid);
        const environment = join(own, 'environment');
        await writeFileAtomic(environment, environmentFile(environments.for(job.environment, definition.port)));
        const sandboxPaths = { checkout: release.checkout, checkoutWritable: false, nodeDirectory, temporary };
        const settings: Setting[] = [
          ['EnvironmentFile', environment],
          ...sandbox(user.name, { ...sandboxPaths, writable: paths.writable(tenant) }),
          ...limitSettings(job.limits),
        ];
        let count = 0;
        return await commands(async (line, { timeoutMs }) => {
          count += 1;
          const name = names.job(tenant.id, `${id}-${count}`);
          const description = `Tenantry: job of ${tenant.slug}`;
          const { exitCode, timedOut } = await runTransient({ name, description, settings, line, timeoutMs }, work);
          return { exitCode, timedOut };
        });
      } finally {
        await rm(own, { recursive: true, force: true });
      }
    },
    /** Ends what runs for a tenant, and removes its files. */
    async endAll(tenant: TenantSpace) {
      await systemctlIfAny('stop', '--', names.job(tenant.id, '*'));
      await rm(join(directory, tenant.id), { recursive: true, force: true });
    },
    /** Like `endAll` for everything that an earlier manager left. */
    async endLeftovers() {
      await systemctlIfAny('stop', '--', names.pattern);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export type Jobs = ReturnType<typeof createJobs>;
