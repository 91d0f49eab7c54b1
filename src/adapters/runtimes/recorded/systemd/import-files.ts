import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { checkedImportName, removeImport, temporaryName } from '../../import-files.ts';
import type { TenantSpace } from '../../runtime.ts';
import type { TenantPaths } from './paths.ts';

/** Files for a tenant's bulk import: owned by its user, in its own directory, which its units see below /tmp/imports. */
export interface ImportFiles {
  /** Returns the path as the unit sees it. @throws AppError `validation_error` for an invalid name */
  put(tenant: TenantSpace, name: string, content: AsyncIterable<Uint8Array>): Promise<string>;
  remove(tenant: TenantSpace, name: string): Promise<void>;
}

export function createImportFiles(paths: TenantPaths): ImportFiles {
  return {
    async put(tenant, name, content) {
      const path = join(paths.imports(tenant), checkedImportName(name));
      const user = await paths.ensure(tenant);
      const aside = join(paths.imports(tenant), temporaryName(name));
      try {
        // Created again and changed by its descriptor: a link from the tenant leads nowhere.
        const file = await open(aside, 'wx', 0o600);
        await file.chown(user.uid, user.gid);
        await pipeline(content, file.createWriteStream({ flush: true }));
        await rename(aside, path);
      } catch (error) {
        await rm(aside, { force: true });
        throw error;
      }
      return join(paths.seen(tenant).importDirectory, name);
    },
    remove: (tenant, name) => removeImport(paths.imports(tenant), name),
  };
}
