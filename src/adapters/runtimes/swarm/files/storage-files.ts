import { chmod, chown, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { AppError } from '../../../../lib/errors.ts';
import { writeFileAtomic } from '../../../../lib/files/atomic-file.ts';
import type { Owner } from '../../engine/images/image-user.ts';
import { checkedSlug, putImport, removeImport } from '../../import-files.ts';
import { createOwnedDataFiles, type OwnedDirectory, removeIn } from '../../owned-data-files.ts';
import type { TenantSpace } from '../../runtime.ts';

/** What units mount, below the tenant's directory. */
type Mounted = 'data' | 'imports';

/** The file with the id of the tenant to which a directory belongs. */
const ownerFile = 'tenant';

/**
 * Tenants' files on the storage that all nodes share: `<storage>/<slug>/data` and `…/imports`. Units run foreign code with the
 * ids of their image's user and may put links there at any moment, while the manager is root. So `<storage>/<slug>` is closed to
 * others, and what goes deeper than the names in `data` is done by programs that run as the image's user and start inside.
 */
export function createStorageFiles({ storage, importRoot }: { storage: string; importRoot: string }) {
  const directoryOf = ({ slug }: TenantSpace): string => join(storage, checkedSlug(slug));
  const keptOf = (tenant: TenantSpace): string => join(storage, '.kept', tenant.id);

  /** Whether the directory is this tenant's; undefined: there is none. */
  async function isOwn(tenant: TenantSpace): Promise<boolean | undefined> {
    const id = await readFile(join(directoryOf(tenant), ownerFile), 'utf8').catch(undefinedIfMissing);
    return id === undefined ? undefined : id.trim() === tenant.id;
  }

  /** A directory that units mount. @throws AppError not_deployed without one */
  async function place(tenant: TenantSpace, what: Mounted): Promise<OwnedDirectory> {
    const path = join(directoryOf(tenant), what);
    const found = (await isOwn(tenant)) ? await stat(path).catch(undefinedIfMissing) : undefined;
    if (found) return { path, uid: found.uid, gid: found.gid };
    throw new AppError('not_deployed', `${tenant.slug} is not deployed: it has no directory in ${storage} yet`);
  }

  const data = createOwnedDataFiles({
    pathOf: (tenant) => join(directoryOf(tenant), 'data'),
    directoryOf: (tenant) => place(tenant, 'data'),
  });

  return {
    data,

    /** Creates the tenant's directories, for the user of its image. @throws Error when they belong to another tenant */
    async prepare(tenant: TenantSpace, owner: Owner): Promise<void> {
      if (owner.uid === 0)
        throw new Error(
          'The image of the api runs as root, which on a shared storage could write into other tenants’ files: set USER in its Dockerfile',
        );
      const directory = directoryOf(tenant);
      if ((await isOwn(tenant)) === false)
        throw new Error(`${directory} belongs to another tenant: move it away, then try again`);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await writeFileAtomic(join(directory, ownerFile), `${tenant.id}\n`);
      for (const what of ['data', 'imports'] as const) {
        const path = join(directory, what);
        await mkdir(path, { recursive: true, mode: 0o700 });
        await chown(path, owner.uid, owner.gid).catch((error: unknown) => {
          throw new Error(
            `${path} can’t be given to the image’s user (${owner.uid}): the manager must run as root, and a network storage must allow root (NFS: no_root_squash)`,
            { cause: error },
          );
        });
        await chmod(path, 0o700);
      }
    },

    async putImportFile(tenant: TenantSpace, name: string, content: AsyncIterable<Uint8Array>): Promise<string> {
      const { path, ...owner } = await place(tenant, 'imports');
      await putImport(path, name, content, owner);
      return posix.join(importRoot, tenant.slug, name);
    },
    async removeImportFile(tenant: TenantSpace, name: string): Promise<void> {
      if (await isOwn(tenant)) await removeImport(join(directoryOf(tenant), 'imports'), name);
    },

    /** Removes the tenant's files, or moves them aside, so that a later tenant of the same slug does not see them. */
    async remove(tenant: TenantSpace, options: { data: boolean }): Promise<void> {
      const directory = directoryOf(tenant);
      if (!(await isOwn(tenant))) return;
      if (!options.data) {
        await mkdir(join(storage, '.kept'), { recursive: true, mode: 0o700 });
        await rename(directory, keptOf(tenant));
        return;
      }
      const { signal } = new AbortController();
      for (const what of ['data', 'imports'] as const) {
        const found = await place(tenant, what).catch(() => undefined);
        if (found) await removeIn(found, await readdir(found.path), signal);
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
