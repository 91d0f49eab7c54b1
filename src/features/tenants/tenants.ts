import type { Clock } from '../../kernel/clock.ts';
import type { SecretBox } from '../../kernel/secret-box.ts';
import type { EventBus } from '../../platform/events/bus.ts';
import type { Actor, WriteJournal } from '../../platform/events/journal-entry.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Store, Transaction } from '../../platform/store/store.ts';
import type { PortService } from '../ports/service.ts';
import type { TenantService } from './service.ts';
import type { Tenant } from './tenant.ts';

/** What a deletion takes with it; and, as answer, what was really removed. */
export interface RemoveOptions {
  removeFiles: boolean;
  removeProxy: boolean;
  removeServices: boolean;
}

export interface Removed {
  files: boolean;
  proxy: boolean;
  services: boolean;
}

export interface TenantsDeps {
  store: Store;
  clock: Clock;
  events: EventBus;
  journal: WriteJournal;
  secretBox: SecretBox;
  ports: PortService;
  /** Tenants' directories are made in its folder `tenants`. */
  dataDirectory: string;
  /** Whether a repository may be a path on this machine. */
  allowLocalRepositories: boolean;
  /** Makes a new tenant's further records (configuration, theme) in the transaction that makes the tenant. */
  companions: readonly ((tenant: Tenant, transaction: Transaction) => Promise<void>)[];
  /** @throws AppError operation_in_progress */
  assertIdle(tenantId: string): void;
  /**
   * Removes what exists of the tenant outside the store. It may end by calling `remove` itself; the route calls it
   * afterwards in any case.
   */
  dispose(tenant: Tenant, options: RemoveOptions, actor: Actor): Promise<Removed>;
}

export interface Tenants extends TenantService {
  routes: Route[];
}

export declare function createTenants(deps: TenantsDeps): Tenants;
