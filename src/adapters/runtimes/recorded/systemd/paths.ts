import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { mkdir, rm } from '../../../../lib/files/changes.ts';
import { checkedSlug } from '../../import-files.ts';
import type { TenantSpace, UnitPaths } from '../../runtime.ts';
import { tenantUser } from './names.ts';
import { mustRun } from './programs.ts';
import { inside } from './units/sandbox.ts';
import type { SystemUser, Users } from './users.ts';

/**
 * A tenant's directories on the host, below its own: its units see them at other paths, and nothing else of the manager's data.
 */
export function createTenantPaths({ instance, users }: { instance: string; users: Users }) {
  const data = (tenant: TenantSpace): string => join(tenant.directory, 'data');
  const imports = (tenant: TenantSpace): string => join(tenant.directory, 'imports');
  const seen = (tenant: TenantSpace): UnitPaths => ({
    importDirectory: join('/tmp/imports', checkedSlug(tenant.slug)),
    dataDirectory: inside.data,
  });
  const userOf = (tenant: TenantSpace): string => tenantUser(instance, tenant);

  return {
    data,
    imports,
    /** As the units see them. */
    seen,
    /** What the units may write to, and the paths at which they see it. */
    writable: (tenant: TenantSpace): [from: string, to: string][] => [
      [data(tenant), seen(tenant).dataDirectory],
      [imports(tenant), seen(tenant).importDirectory],
    ],
    /** The tenant's user, if it exists. */
    user: (tenant: TenantSpace) => users.find(userOf(tenant)),
    /** Creates the tenant's user and directories if they are missing; everything in these belongs to the user. */
    async ensure(tenant: TenantSpace): Promise<SystemUser> {
      const user = await users.ensure(userOf(tenant), `tenant ${checkedSlug(tenant.slug)}`);
      for (const directory of [data(tenant), imports(tenant)]) {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        const { uid, gid } = await lstat(directory);
        // A new user, or the directories had another user's number (from another machine).
        if (uid !== user.uid || gid !== user.gid) await giveTo(directory, `${user.uid}:${user.gid}`);
      }
      return user;
    },
    /** Removes the user, and with `data` the directories; else these become root's, as the user's number may be reused. */
    async clear(tenant: TenantSpace, options: { data: boolean }) {
      for (const directory of [data(tenant), imports(tenant)]) {
        if (options.data) await rm(directory, { recursive: true, force: true });
        else if (await lstat(directory).catch(() => undefined)) await giveTo(directory, '0:0');
      }
      await users.remove(userOf(tenant));
    },
  };
}

export type TenantPaths = ReturnType<typeof createTenantPaths>;

/** Gives a directory and everything in it to a user; links themselves, not their targets. No process may work in it. */
export const giveTo = (directory: string, owner: string): Promise<string> =>
  mustRun('chown', ['--recursive', '--no-dereference', '-P', '--', owner, directory]);
