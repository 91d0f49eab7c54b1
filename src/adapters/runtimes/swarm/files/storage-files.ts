import { readdir, readFile, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { AppError } from '../../../../lib/errors.ts';
import { writeFileAtomic } from '../../../../lib/files/atomic-file.ts';
import { chmod, chown, mkdir, rename, rm, rmdir } from '../../../../lib/files/changes.ts';
import { directorySizes } from '../../../../lib/files/directory-sizes.ts';
import type { Owner } from '../../engine/images/image-user.ts';
import { checkedSlug, putImport, removeImport } from '../../import-files.ts';
import { createOwnedDataFiles, type OwnedDirectory, removeIn } from '../../owned-data-files.ts';
import type { TenantSpace } from '../../runtime.ts';
import { missingDirectories } from '../../tenant-data.ts';

/** What units mount, below the tenant's directory. */
const mounted = ['data', 'imports'] as const;
type Mounted = (typeof mounted)[number];

const measuredWithinMs = 120_000;

/** The file with the id of the tenant to which a directory belongs. */
const ownerFile = 'tenant';
/** The file that is in a storage with tenants: without it, the storage may not be mounted. */
const markFile = '.tenantry';

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
    // Of root: its preparation was cut off.
    if (found && found.uid !== 0) return { path, uid: found.uid, gid: found.gid };
    throw new AppError('not_deployed', `${tenant.slug} is not deployed: it has no directory in ${storage} yet`);
  }

  /** @throws Error when the directory belongs to another tenant, or has data without saying whose */
  async function assertFree(tenant: TenantSpace): Promise<void> {
    const directory = directoryOf(tenant);
    const own = await isOwn(tenant);
    const data = own === undefined ? await readdir(join(directory, 'data')).catch(undefinedIfMissing) : undefined;
    if (own === false || (data?.length ?? 0) > 0)
      throw new Error(`${directory} belongs to another tenant: move it away, then try again`);
  }

  const data = createOwnedDataFiles({
    pathOf: (tenant) => join(directoryOf(tenant), 'data'),
    directoryOf: (tenant) => place(tenant, 'data'),
    async missing(tenants, pathOf) {
      // Where the storage is not mounted, all of them would be missing.
      if (tenants.length > 0 && !(await isMounted()))
        throw new AppError('runtime_unavailable', `${storage} (SWARM_STORAGE) holds no tenant’s files: is it mounted?`);
      return missingDirectories(tenants, pathOf);
    },
  });

  /** Whether the storage has ever held files of tenants. */
  async function isMounted(): Promise<boolean> {
    for (const name of (await readdir(storage).catch(undefinedIfMissing)) ?? [])
      if (name === markFile || (await stat(join(storage, name, ownerFile)).catch(() => undefined))) return true;
    return false;
  }

  /** What the directories of all tenants use, by the tenant's id. */
  async function usedBytes(signal: AbortSignal): Promise<Map<string, number>> {
    const tenants = new Map<string, string>();
    for (const name of await readdir(storage)) {
      const id = await readFile(join(storage, name, ownerFile), 'utf8').catch(() => undefined);
      if (id !== undefined) tenants.set(join(storage, name), id.trim());
    }
    const sizes = await directorySizes([...tenants.keys()], { timeoutMs: measuredWithinMs, signal });
    return new Map([...sizes].map(([directory, bytes]) => [tenants.get(directory) ?? '', bytes]));
  }

  return {
    data: { ...data, usedBytes },

    /**
     * Creates the tenant's directories, for the user of its image.
     * @throws Error when they belong to another tenant or user, or the storage is missing or forbids it
     */
    async prepare(tenant: TenantSpace, owner: Owner): Promise<void> {
      if (owner.uid === 0)
        throw new Error(
          'The image of the api runs as root, which on a shared storage could write into other tenants’ files: set USER in its Dockerfile',
        );
      try {
        await assertFree(tenant);
        await makeDirectory(directoryOf(tenant));
        await writeFileAtomic(join(storage, markFile), '');
        await writeFileAtomic(join(directoryOf(tenant), ownerFile), `${tenant.id}\n`);
        for (const what of mounted) await give(join(directoryOf(tenant), what), owner);
      } catch (error) {
        throw explained(error, storage);
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
      for (const what of mounted) {
        const found = await place(tenant, what).catch(() => undefined);
        if (found) await removeIn(found, await readdir(found.path), signal);
        // Fails when a unit on a lost node goes on writing: root must not follow what it makes.
        await rmdir(join(directory, what)).catch(undefinedIfMissing);
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Gives a new directory to the user. One that is in use stays as it is: the live unit and a rollback need it. */
async function give(path: string, { uid, gid }: Owner): Promise<void> {
  await makeDirectory(path);
  const found = await stat(path);
  if (found.uid === 0) await chown(path, uid, gid);
  else if (found.uid !== uid)
    throw new Error(
      `${path} belongs to user ${found.uid}, and the api’s image now runs as ${uid}: keep the USER of its Dockerfile, or stop the tenant and run chown -hR ${uid}:${gid} ${path}`,
    );
}

/** Not its parents: where the storage is not mounted, files would be on the manager's own disk. */
async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await chmod(path, 0o700);
}

function explained(error: unknown, storage: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new Error(`${storage} (SWARM_STORAGE) is missing: mount it on the manager's machine`);
  if (code !== 'EPERM' && code !== 'EACCES') return error;
  return new Error(
    `${storage} (SWARM_STORAGE) does not let the manager create files of other users: it must run as root, and a network storage must allow root (NFS: no_root_squash). ${message}`,
    { cause: error },
  );
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
