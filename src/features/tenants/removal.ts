import type { Actor } from '../../adapters/events/journal-entry.ts';
import type { Tenant } from './tenant.ts';

/** What a deletion takes with it. */
interface RemovalOptions {
  removeFiles: boolean;
  removeProxy: boolean;
  removeServices: boolean;
}

/** What was really removed. */
interface Removed {
  files: boolean;
  proxy: boolean;
  services: boolean;
}

/**
 * Removes what exists of a tenant outside the store. It may end by removing the tenant from the store too; the route does so
 * afterwards in any case.
 */
export type RemoveResources = (tenant: Tenant, options: RemovalOptions, actor: Actor) => Promise<Removed>;
