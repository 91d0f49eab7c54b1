import type { TenantSpace } from './tenant-space.ts';

/**
 * What a tenant's units keep in their data directory. Content is a tar of any size whose names are relative to the directory:
 * plain files, directories, links.
 */
export interface TenantData {
  /**
   * @param options.only these names at the top of the directory, those that are there; else all
   * @param options.except names at the top that are left out
   * @param options.still no unit of the tenant runs on meanwhile (paused, where the runtime can)
   */
  read(
    tenant: TenantSpace,
    options: { only?: readonly string[]; except?: readonly string[]; still?: boolean; signal: AbortSignal },
  ): AsyncIterable<Uint8Array>;
  /** Bytes of these files at the top of the directory together, without reading them; undefined where none is there. */
  size(tenant: TenantSpace, names: readonly string[]): Promise<number | undefined>;
  /** Removes names at the top of the directory, or all others. */
  remove(
    tenant: TenantSpace,
    which: { only: readonly string[] } | { except: readonly string[] },
    signal: AbortSignal,
  ): Promise<void>;
  /** Adds what the tar holds, in place of what bears the same names. */
  write(tenant: TenantSpace, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
}
