import type { WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../adapters/events/bus.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { PortService } from '../ports/ports.ts';
import { createTenantRecords } from './records.ts';
import { createRegistration } from './registration.ts';
import type { RemoveResources } from './removal.ts';
import type { RepositoryRules } from './repository-address.ts';
import { createRepositorySecrets } from './repository-secrets.ts';
import { tenantRoutes } from './routes.ts';
import { createTenantService, type TenantService } from './service.ts';
import { createTenantStore } from './store.ts';
import type { Tenant } from './tenant.ts';

export { maxPageAgeMs } from './records.ts';
export { tenantFilter, tenantIds } from './schema.ts';
export { searchTerm } from './search-text.ts';
export { selectTenants, type TenantSelection } from './select-tenants.ts';
export type { TenantService } from './service.ts';
export {
  type DatabaseKind,
  deployedRelease,
  type HealthStatus,
  healthStatuses,
  type LiveRelease,
  spaceOf,
  type Tenant,
  type TenantHealth,
  type TenantStatus,
} from './tenant.ts';

export interface TenantsDeps {
  store: Store;
  clock: Clock;
  events: EventBus;
  writeAuditLog: WriteAuditLog;
  secretBox: SecretBox;
  ports: PortService;
  /** Absolute path; tenants' directories are created in its folder `tenants`. */
  dataDirectory: string;
  repositories: RepositoryRules;
  /** Create a new tenant's related records (configuration, theme) in the transaction that creates the tenant. */
  createRelatedRecords: readonly ((tenant: Tenant, transaction: Transaction) => Promise<void>)[];
  /** @throws AppError operation_in_progress */
  assertIdle(tenantId: string): void;
  removeResources: RemoveResources;
  /** The result of the last health check, if newer than the saved one. */
  lastHealth(tenantId: string): Record<string, unknown> | undefined;
  /** Called after a tenant's new host names are saved. */
  onHostNamesChanged(tenant: Tenant): void;
}

export interface Tenants extends TenantService {
  routes: Route[];
}

/** The registry of tenants. */
export function createTenants(deps: TenantsDeps): Tenants {
  const { store, events, writeAuditLog, ports } = deps;
  const rows = createTenantStore(store);
  const records = createTenantRecords(rows, ports);
  const repositorySecrets = createRepositorySecrets(deps.secretBox, deps.repositories);
  const registration = createRegistration({
    store,
    rows,
    records,
    repositorySecrets,
    ports,
    clock: deps.clock,
    writeAuditLog,
    dataDirectory: deps.dataDirectory,
    createRelatedRecords: deps.createRelatedRecords,
    assertIdle: deps.assertIdle,
    onHostNamesChanged: deps.onHostNamesChanged,
  });
  const service = createTenantService({
    rows,
    records,
    registration,
    repositorySecrets,
    events,
    writeAuditLog,
    clock: deps.clock,
  });
  return { ...service, routes: tenantRoutes(service, deps) };
}
