import type { Actor } from '../../adapters/events/audit-log-entry.ts';
import type { Tenant } from './tenant.ts';

/** The resources to remove with a tenant. */
interface RemovalOptions {
  removeFiles: boolean;
  removeProxy: boolean;
  removeServices: boolean;
}

/** The resources that were actually removed. */
interface Removed {
  files: boolean;
  proxy: boolean;
  services: boolean;
}

/**
 * Removes a tenant's resources outside the store. It may remove the tenant from the store, too; the route does so afterwards
 * in any case.
 */
export type RemoveResources = (tenant: Tenant, options: RemovalOptions, actor: Actor) => Promise<Removed>;
