import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chmod, cp, mkdir, rm } from '../../../../lib/files/changes.ts';
import { checkedImportName, checkedSlug, putImport, removeImport, temporarySuffix } from '../../import-files.ts';
import type { TenantSpace } from '../../runtime.ts';

/** @param root the directory of all tenants' directories, such as `/tmp/imports` */
export function createImportFiles(root: string) {
  const directory = (tenant: TenantSpace): string => join(root, checkedSlug(tenant.slug));

  async function ensure(tenant: TenantSpace): Promise<string> {
    await mkdir(root, { recursive: true, mode: 0o755 });
    const own = directory(tenant);
    await mkdir(own, { recursive: true, mode: 0o700 });
    // The root may be in a world-writable directory: a link or a foreign directory is not used.
    const found = await lstat(own);
    if (!found.isDirectory() || found.uid !== process.getuid?.())
      throw new Error(`${own} is not a directory of the manager's user`);
    await chmod(own, 0o700);
    return own;
  }

  return {
    directory,
    /** Creates the tenant's directory if it is missing. @throws an Error when something else has its path */
    ensure,
    /** @throws AppError `validation_error` for an invalid name */
    async put(tenant: TenantSpace, name: string, content: AsyncIterable<Uint8Array>) {
      const path = join(directory(tenant), checkedImportName(name));
      await putImport(await ensure(tenant), name, content);
      return path;
    },
    remove: (tenant: TenantSpace, name: string) => removeImport(directory(tenant), name),
    /**
     * Removes the directory; without `data` its files move to the tenant's own directory, as a later tenant of the slug must not
     * see them.
     */
    async clear(tenant: TenantSpace, { data }: { data: boolean }) {
      const own = directory(tenant);
      const names = await readdir(own).catch((): string[] => []);
      const kept = names.filter((name) => !name.endsWith(temporarySuffix));
      if (!data && kept.length > 0)
        await cp(own, join(tenant.directory, 'imports'), {
          recursive: true,
          filter: (path) => !path.endsWith(temporarySuffix),
        });
      await rm(own, { recursive: true, force: true });
    },
  };
}
