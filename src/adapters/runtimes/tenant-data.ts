import { lstat } from 'node:fs/promises';
import { basename } from 'node:path';

/** A tenant as a runtime knows it. */
export interface TenantSpace {
  id: string;
  slug: string;
  /** The tenant's own directory on the manager's disk (absolute): environment files, SQLite database, logs of local processes. */
  directory: string;
}

/** The units' data directory. Content is a tar of any size with relative names: plain files, directories, links. */
export interface TenantData {
  /**
   * @param options.only those of these names that exist at the top of the directory; default: all
   * @param options.except excluded names at the top
   * @param options.still no unit of the tenant runs during the read (paused, if the runtime can)
   */
  read(
    tenant: TenantSpace,
    options: { only?: readonly string[]; except?: readonly string[]; still?: boolean; signal: AbortSignal },
  ): AsyncIterable<Uint8Array>;
  /** Total size of these files at the top of the directory, in bytes, without reading them; undefined if there is none. */
  size(tenant: TenantSpace, names: readonly string[]): Promise<number | undefined>;
  /** What all files outside the tenants' own directories use, by the tenant's id. Missing: there are none. */
  usedBytes?(signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  /**
   * Of these deployed tenants, those whose directory does not exist: its name, by the tenant's id.
   * @throws AppError runtime_unavailable where that can't be known, such as a storage that is not mounted
   */
  missing(tenants: readonly TenantSpace[]): Promise<Map<string, string>>;
  /** Removes names at the top of the directory, or all others. */
  remove(
    tenant: TenantSpace,
    which: { only: readonly string[] } | { except: readonly string[] },
    signal: AbortSignal,
  ): Promise<void>;
  /** Adds the tar's entries and replaces existing ones of the same names; in the directory `into` at the top, which it creates. */
  write(
    tenant: TenantSpace,
    content: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
    options?: { into: string },
  ): Promise<void>;
  /**
   * Renames what is at the top (but `except`) into a directory there, or all of such a directory to the top; it may be missing.
   * May run again after it was interrupted.
   */
  move(
    tenant: TenantSpace,
    where: { into: string; except: readonly string[] } | { from: string },
    signal: AbortSignal,
  ): Promise<void>;
}

/** Bytes of the plain files among these paths; undefined when there is none. */
export async function sizeOfFiles(paths: readonly string[]): Promise<number | undefined> {
  const found = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
  return sumOf(found.map((file) => (file?.isFile() ? file.size : undefined)));
}

/** The sum of the known sizes; undefined when there is none. */
export function sumOf(sizes: readonly (number | undefined)[]): number | undefined {
  const there = sizes.filter((size) => size !== undefined);
  return there.length === 0 ? undefined : there.reduce((sum, size) => sum + size, 0);
}

/** Of these tenants, those whose directory does not exist. */
export async function missingDirectories(
  tenants: readonly TenantSpace[],
  directory: (tenant: TenantSpace) => string,
): Promise<Map<string, string>> {
  const gone = new Map<string, string>();
  for (const tenant of tenants) {
    const path = directory(tenant);
    const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    // Without the place of all tenants: viewers read it, too.
    if (!found) gone.set(tenant.id, `the directory ${tenant.slug}/${basename(path)}`);
  }
  return gone;
}
