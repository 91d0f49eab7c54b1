import type { Actor } from '../../platform/events/journal-entry.ts';
import type { Page, Paging } from '../../platform/http/paging.ts';
import type { HealthStatus, LiveRelease, Tenant, TenantStatus } from './tenant.ts';

/** What a new tenant is made from, as checked by the schema. */
export interface NewTenant {
  name: string;
  slug: string;
  domain: string;
  apiDomain: string;
  frontendPort?: number | undefined;
  backendPort?: number | undefined;
  gitRepo?: string | null | undefined;
  notes?: string | null | undefined;
}

/** A change of a tenant; what is absent stays as it is. `gitRepo` empty or null: none. */
export interface TenantChanges {
  name?: string | undefined;
  domain?: string | undefined;
  apiDomain?: string | undefined;
  frontendPort?: number | undefined;
  backendPort?: number | undefined;
  gitRepo?: string | null | undefined;
  notes?: string | null | undefined;
}

export interface TenantFilter {
  status?: TenantStatus | undefined;
  /** Part of the name, slug or one of the domains, in any case. */
  search?: string | undefined;
}

export interface TenantCounts {
  total: number;
  byStatus: Record<TenantStatus, number>;
  byHealth: Record<HealthStatus, number>;
}

/** The register of tenants. */
export interface TenantService {
  /** @throws AppError not_found */
  get(id: string): Promise<Tenant>;
  find(id: string): Promise<Tenant | undefined>;
  findBySlug(slug: string): Promise<Tenant | undefined>;
  /** A page, newest first. */
  list(filter: TenantFilter, paging: Paging): Promise<Page<Tenant>>;
  /** All tenants one after the other, read in pages; one made or removed meanwhile may or may not be among them. */
  each(options?: { deployedOnly?: boolean }): AsyncGenerator<Tenant>;
  namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** @throws AppError validation_error, slug_taken, domain_taken, port_taken, ports_exhausted */
  create(input: NewTenant, actor: Actor): Promise<Tenant>;
  /** @throws AppError not_found, validation_error, domain_taken, port_taken, operation_in_progress */
  update(id: string, changes: TenantChanges, actor: Actor): Promise<Tenant>;
  /**
   * Sets the status, tells it as `tenant_status` and writes it to the journal; nothing happens where it is so already,
   * the tenant is gone, or its status is none of `from`.
   * @returns whether it changed
   */
  setStatus(
    id: string,
    status: TenantStatus,
    options?: { reason?: string; from?: readonly TenantStatus[]; actor?: Actor },
  ): Promise<boolean>;
  /** Keeps the last health check; tells a change of the status as `tenant_health`. @returns whether the status changed */
  recordHealth(id: string, status: HealthStatus, details: Record<string, unknown>): Promise<boolean>;
  /** What runs now. The time of deployment stays as it is where none is given. */
  recordDeployment(id: string, release: LiveRelease, deployedAt?: Date): Promise<void>;
  /** The repository's address for git, with its credentials; null where none is set. Never to be logged. @throws AppError not_found */
  repositoryOf(id: string): Promise<string | null>;
  /** Removes the tenant and all that hangs on it from the store; one that is gone already is fine. @returns the ports released */
  remove(id: string, actor: Actor): Promise<number[]>;
  counts(): Promise<TenantCounts>;
}
