import type { DatabaseSlot } from '../../adapters/databases/tenant-database.ts';
import type { Actor, WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../adapters/events/bus.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import type { PortService, ReplacedPorts } from '../ports/ports.ts';
import { removedEntry } from './audit.ts';
import { eachTenant, type TenantRecords } from './records.ts';
import type { RepositorySecrets } from './repository/repository-secrets.ts';
import {
  type HealthFinding,
  type HealthStatus,
  healthStatuses,
  type LiveRelease,
  type Tenant,
  type TenantHealth,
  type TenantStatus,
  tenantStatuses,
} from './tenant.ts';

interface TenantFilter {
  status?: TenantStatus | undefined;
  health?: HealthStatus | undefined;
  /** Part of the name, the slug or a domain, ignoring case and accents. */
  search?: string | undefined;
  /** Ignoring case and accents. */
  tag?: string | undefined;
}

interface TenantCounts {
  total: number;
  byStatus: Record<TenantStatus, number>;
  byHealth: Record<HealthStatus, number>;
  /** The same for tenants with the status `running`. */
  runningByHealth: Record<HealthStatus, number>;
}

/** The registry of tenants: reads them and records what happens to them. */
export interface Tenants {
  /** @throws AppError not_found */
  get(id: string): Promise<Tenant>;
  find(id: string): Promise<Tenant | undefined>;
  findBySlug(slug: string): Promise<Tenant | undefined>;
  /** A page, newest first. */
  list(filter: TenantFilter, paging: Paging): Promise<Page<Tenant>>;
  /**
   * All tenants, one after the other, each read at most a second before. Tenants created or removed during the iteration may or
   * may not be included.
   */
  each(options?: { deployedOnly?: boolean }): AsyncGenerator<Tenant>;
  namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Sets the status, publishes `tenant_status` and writes to the audit log. Does nothing if the tenant already has the status,
   * no longer exists, or its status is not in `from`.
   * @returns whether it changed
   */
  setStatus(
    id: string,
    status: TenantStatus,
    options?: { reason?: string; from?: readonly TenantStatus[]; actor?: Actor },
  ): Promise<boolean>;
  /**
   * Saves the last health checks, one for each tenant, and publishes changes of the status as `tenant_health`.
   * @returns the previous health of the tenants that still exist
   */
  recordHealth(found: readonly HealthFinding[]): Promise<TenantHealth[]>;
  /** Records what runs now; without `deployedAt`, keeps the time of deployment. */
  recordDeployment(id: string, release: LiveRelease, deployedAt?: Date): Promise<void>;
  /** The repository's address with credentials; null if none is set. Never log it. @throws AppError not_found */
  repositoryOf(id: string): Promise<string | null>;
  /** Makes the other of its two databases the tenant's own. */
  setDatabaseSlot(id: string, slot: DatabaseSlot): Promise<void>;
  /** Records that data is gone, before its place is made again; null: it is restored, or not missed any more. */
  setLostData(id: string, what: string | null): Promise<void>;
  /** Gives a tenant other ports if another process took one of its own, see `PortService`. @throws AppError ports_exhausted */
  replaceTakenPorts(id: string): Promise<ReplacedPorts | undefined>;
  /** Removes the tenant and its related records from the store, if it still exists. @returns the released ports */
  remove(id: string, actor: Actor): Promise<number[]>;
  counts(): Promise<TenantCounts>;
}

export interface TenantsDeps {
  store: Store;
  clock: Clock;
  events: EventBus;
  writeAuditLog: WriteAuditLog;
  records: TenantRecords;
  ports: PortService;
  repositorySecrets: RepositorySecrets;
}

/** Health findings written in one statement. */
const batchSize = 50;

/** The registry of tenants. Users create and change them through `createTenantAdministration`. */
export function createTenants(deps: TenantsDeps): Tenants {
  const { store, clock, events, writeAuditLog, records, ports, repositorySecrets } = deps;
  const { rows } = records;

  return {
    async get(id) {
      const tenant = await records.find({ id });
      if (!tenant) throw notFound('tenant', id);
      return tenant;
    },
    find: (id) => records.find({ id }),
    findBySlug: (slug) => records.find({ slug }),

    async list({ tag, ...filter }, paging) {
      const spelt = tag === undefined ? undefined : await records.tags.nameOf(tag);
      if (tag !== undefined && spelt === undefined) return { items: [], total: 0 };
      const { items, total } = await rows.page({ ...filter, tag: spelt }, paging);
      return { items: await records.assemble(items), total };
    },

    each: ({ deployedOnly = false } = {}) => eachTenant(rows, records, deployedOnly),
    namesOf: (ids) => rows.names(ids),

    async setStatus(id, status, { reason, from = tenantStatuses, actor } = {}) {
      const before = await rows.find({ id });
      const sources = from.filter((source) => source !== status);
      if (!before || !(await rows.changeStatus(id, status, sources))) return false;
      events.publish({ type: 'tenant_status', tenant_id: id, status });
      await writeAuditLog({
        level: status === 'error' ? 'error' : 'info',
        category: 'system',
        ...(status === 'error' ? { topic: 'service' } : {}),
        message: `Tenant ${before.slug} is ${status}${reason ? `: ${reason}` : ''}`,
        tenant: { id, slug: before.slug },
        details: {
          before: before.status,
          after: status,
          ...(reason ? { reason } : {}),
          ...(actor ? { user_id: actor.userId, username: actor.username } : {}),
        },
      });
      return true;
    },

    async recordHealth(found) {
      const before: TenantHealth[] = [];
      for (let start = 0; start < found.length; start += batchSize) {
        const batch = found.slice(start, start + batchSize);
        const existing = new Map((await rows.healthOf(batch.map(({ id }) => id))).map((row) => [row.id, row]));
        before.push(...existing.values());
        const hasChanged = ({ id, status }: HealthFinding): boolean => existing.get(id)?.healthStatus !== status;
        const findings = batch.filter(({ id }) => existing.has(id));
        const changed = findings.filter(hasChanged);
        const unchanged = findings.filter((finding) => !hasChanged(finding));
        await rows.recordHealth(changed, clock.now());
        await rows.recordHealth(unchanged, undefined);
        for (const { id, status } of changed)
          events.publish({ type: 'tenant_health', tenant_id: id, overall_status: status });
      }
      return before;
    },

    async recordDeployment(id, release, deployedAt) {
      await rows.update(id, {
        deployedVersion: release.version,
        deployedCommit: release.commit,
        deployedRelease: release,
        ...(deployedAt ? { deployedAt } : {}),
      });
    },

    async repositoryOf(id) {
      const row = await rows.find({ id });
      if (!row) throw notFound('tenant', id);
      return repositorySecrets.addressOf(id, row);
    },

    setDatabaseSlot: (id, databaseSlot) => rows.update(id, { databaseSlot }),
    setLostData: (id, lostData) => rows.update(id, { lostData }),

    async replaceTakenPorts(id) {
      const replaced = await store.transaction((transaction) => ports.replaceTaken(id, transaction));
      const tenant = replaced && (await records.find({ id }));
      if (tenant)
        await writeAuditLog({
          level: 'info',
          category: 'system',
          message: `Tenant ${tenant.slug} has new ports: another process uses port ${replaced.taken}`,
          tenant: { id, slug: tenant.slug },
          details: { taken: replaced.taken, frontend_port: tenant.frontendPort, backend_port: tenant.backendPort },
        });
      return replaced;
    },

    async remove(id, actor) {
      const removed = await store.transaction(async (transaction) => {
        await store.lock('tenants', transaction);
        const tenant = await records.find({ id }, transaction);
        if (!tenant) return undefined;
        const released = await ports.release(id, transaction);
        await rows.remove(id, transaction);
        await records.tags.removeUnused(tenant.tags, transaction);
        return { tenant, released };
      });
      if (!removed) return [];
      await writeAuditLog(removedEntry(removed.tenant, actor, removed.released));
      events.publish({ type: 'tenant_status', tenant_id: id, status: 'deleted' });
      return removed.released;
    },

    async counts() {
      const byStatus = zeroOf(tenantStatuses);
      const byHealth = zeroOf(healthStatuses);
      const runningByHealth = zeroOf(healthStatuses);
      let total = 0;
      for (const { status, healthStatus, count } of await rows.counts()) {
        byStatus[status] += count;
        byHealth[healthStatus] += count;
        if (status === 'running') runningByHealth[healthStatus] += count;
        total += count;
      }
      return { total, byStatus, byHealth, runningByHealth };
    },
  };
}

function zeroOf<Key extends string>(keys: readonly Key[]): Record<Key, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>;
}
