import type { Work } from '../../../../lib/concurrency/work.ts';
import { newSecret } from '../../../../lib/ids.ts';
import type { ReleaseRequest } from '../../runtime.ts';
import type { Environments } from '../environment.ts';
import { installUser, type TransientNames } from './names.ts';
import { giveTo } from './paths.ts';
import { mustRun } from './programs.ts';
import { runTransient } from './systemctl/transient.ts';
import { sandbox } from './units/sandbox.ts';
import type { Users } from './users.ts';

const purpose = 'install of a release';

/**
 * Installs a release's dependencies: the code of its authors and packages runs as a temporary user, in the same sandbox as a
 * unit, and may write only to this checkout. Afterwards it belongs to root, readable by all.
 */
export function createInstalls({
  instance,
  names,
  users,
  environments,
  nodeDirectory,
}: {
  instance: string;
  names: TransientNames;
  users: Users;
  environments: Environments;
  nodeDirectory: string;
}) {
  return {
    async install({ key, checkout, install: line }: ReleaseRequest & { install: string }, work: Work) {
      const user = await users.ensure(installUser(instance, key), purpose);
      try {
        await giveTo(checkout, `${user.uid}:${user.gid}`);
        const sandboxPaths = { checkout, checkoutWritable: true, nodeDirectory, writable: [] };
        const environment = Object.entries(environments.for({})).map(([name, value]) => `${name}=${value}`);
        return await runTransient(
          {
            name: names.install(newSecret(9)),
            description: 'Tenantry: install of a release',
            settings: [['Environment', environment], ...sandbox(user.name, sandboxPaths)],
            line,
          },
          work,
        );
      } finally {
        await giveTo(checkout, '0:0');
        await users.remove(user.name);
      }
    },
    /** Owned by root, so no one else may change it; readable by all, whatever the manager's umask was. */
    async finish({ checkout }: ReleaseRequest): Promise<void> {
      await giveTo(checkout, '0:0');
      await mustRun('chmod', ['--recursive', '--', 'u+rwX,go+rX,go-w,a-s', checkout]);
    },
    /** Users of installs that ended with their manager. */
    async removeLeftovers(): Promise<void> {
      for (const { name, what } of await users.list()) if (what === purpose) await users.remove(name);
    },
  };
}
