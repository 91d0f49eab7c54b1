import { join } from 'node:path';
import type { Actor, WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { Source } from '../../adapters/git/source.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { retry } from '../../lib/concurrency/retry.ts';
import { AppError, invalid, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { PortPair, PortService } from '../ports/ports.ts';
import { auditEntry, changesBetween, createdEntry } from './audit.ts';
import type { TenantRecords } from './records.ts';
import type { RepositorySecrets } from './repository/repository-secrets.ts';
import { searchText } from './search-text.ts';
import type { Tenants } from './service.ts';
import type { Domains } from './store.ts';
import { changedTags } from './tags/tags.ts';
import type { Tenant } from './tenant.ts';

/** The validated fields of a new tenant. */
export interface NewTenant {
  name: string;
  slug: string;
  domain: string;
  apiDomain: string;
  frontendPort?: number | undefined;
  backendPort?: number | undefined;
  gitRepo?: string | null | undefined;
  notes?: string | null | undefined;
  tags?: readonly string[] | undefined;
}

/** Changes only the given fields. `gitRepo` empty or null: none. */
export interface TenantChanges {
  name?: string | undefined;
  domain?: string | undefined;
  apiDomain?: string | undefined;
  frontendPort?: number | undefined;
  backendPort?: number | undefined;
  gitRepo?: string | null | undefined;
  notes?: string | null | undefined;
  tags?: readonly string[] | undefined;
  /** Instead of `tags`: changes of them. */
  addTags?: readonly string[] | undefined;
  removeTags?: readonly string[] | undefined;
}

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
type RemoveResources = (tenant: Tenant, options: RemovalOptions, actor: Actor) => Promise<Removed>;

/** A feature with a record of its own for each tenant. */
interface RelatedRecords {
  /** Makes the new tenant's record in the transaction that creates the tenant. */
  createFor(tenant: Tenant, transaction: Transaction): Promise<void>;
}

/** Features that come later in the order are typed here, with only the methods used. */
export interface TenantAdministrationDeps {
  store: Store;
  clock: Clock;
  writeAuditLog: WriteAuditLog;
  tenants: Tenants;
  records: TenantRecords;
  ports: PortService;
  repositorySecrets: RepositorySecrets;
  /** Absolute path; tenants' directories are created in its folder `tenants`. */
  dataDirectory: string;
  configs: RelatedRecords;
  themes: RelatedRecords;
  /** @throws AppError operation_in_progress */
  engine: { assertIdle(tenantId: string): void };
  health: {
    /** Gets the result of the last health check, if newer than the saved one. */
    lastDetails(tenantId: string): Record<string, unknown> | undefined;
    /** Response time of the website in the last check; null: no check or no answer. */
    responseMs(tenantId: string): number | null;
  };
  /** When the last complete backup of each of these tenants was made. */
  backups: { lastOf(tenantIds: readonly string[]): Promise<ReadonlyMap<string, Date>> };
  /** Author, date and subject of a release's commit, if known. */
  source: Pick<Source, 'detailsOf'>;
  updates: {
    /** The release that a tenant could be upgraded to, as of the last look; null: none is known. */
    updateOf(tenant: Tenant): string | null;
  };
  /** Syncs a tenant's site with its new host names, in the background. */
  sites: { sync(tenantId: string): Promise<unknown> };
  removeResources: RemoveResources;
}

/** Creates and changes tenants. */
export interface TenantAdministration {
  /** @throws AppError validation_error, slug_taken, domain_taken, port_taken, ports_exhausted */
  create(input: NewTenant, actor: Actor): Promise<Tenant>;
  /** @throws AppError not_found, validation_error, domain_taken, port_taken, operation_in_progress */
  update(id: string, changes: TenantChanges, actor: Actor): Promise<Tenant>;
}

/** Attempts to allocate ports when another manager takes them first. */
const maxAttempts = 3;

/** Creates and changes tenants, each in one transaction. */
export function createAdministration(
  deps: Omit<TenantAdministrationDeps, 'health' | 'tenants' | 'backups'>,
): TenantAdministration {
  const { store, clock, writeAuditLog, records, ports, repositorySecrets, configs, themes, engine, sites } = deps;
  const { rows } = records;

  async function assertDomains(names: Domains, tenantId: string, transaction: Transaction): Promise<void> {
    if (names.domain === names.apiDomain) throw invalid('api_domain', 'must differ from domain');
    const taken = await rows.takenDomain([names.domain, names.apiDomain], tenantId, transaction);
    if (taken !== undefined) throw domainTaken(taken);
  }

  async function insert(input: NewTenant, transaction: Transaction): Promise<Tenant> {
    const id = newId();
    const { name, slug, domain, apiDomain } = input;
    await store.lock('tenants', transaction);
    if (await rows.find({ slug }, transaction)) throw slugTaken(slug);
    await assertDomains({ domain, apiDomain }, id, transaction);
    await rows.insert(
      {
        id,
        name,
        slug,
        status: 'pending',
        healthStatus: 'unknown',
        healthDetails: null,
        healthSince: null,
        ...repositorySecrets.columnsOf(id, input.gitRepo ?? null),
        notes: input.notes ?? null,
        directory: join(deps.dataDirectory, 'tenants', slug),
        databaseSlot: 0,
        lostData: null,
        deployedVersion: null,
        deployedCommit: null,
        deployedRelease: null,
        createdAt: clock.now(),
        deployedAt: null,
        searchText: searchText(input),
        tags: await tagsOf(input.tags ?? [], transaction),
      },
      transaction,
      () => slugTaken(slug),
    );
    await rows.setDomains(id, { domain, apiDomain }, transaction, () => domainTaken(domain));
    await ports.allocate(id, { frontend: input.frontendPort, backend: input.backendPort }, transaction);
    const tenant = await existing(id, transaction);
    for (const related of [configs, themes]) await related.createFor(tenant, transaction);
    return tenant;
  }

  async function tagsOf(names: readonly string[], transaction: Transaction): Promise<string[] | null> {
    return names.length === 0 ? null : records.tags.register(names, transaction);
  }

  async function existing(id: string, transaction?: Transaction): Promise<Tenant> {
    const tenant = await records.find({ id }, transaction);
    if (!tenant) throw notFound('tenant', id);
    return tenant;
  }

  async function apply(before: Tenant, changes: TenantChanges, transaction: Transaction): Promise<void> {
    const { id } = before;
    const names = { domain: changes.domain ?? before.domain, apiDomain: changes.apiDomain ?? before.apiDomain };
    const pair: PortPair = {
      frontend: changes.frontendPort ?? before.frontendPort,
      backend: changes.backendPort ?? before.backendPort,
    };
    const newNames = names.domain !== before.domain || names.apiDomain !== before.apiDomain;
    const newPorts = pair.frontend !== before.frontendPort || pair.backend !== before.backendPort;
    // Host names and ports must not change while an operation configures units and proxy with them.
    if (newNames || newPorts) engine.assertIdle(id);
    if (newNames) {
      await assertDomains(names, id, transaction);
      await rows.setDomains(id, names, transaction, () => domainTaken(names.domain));
    }
    if (newPorts) await ports.reassign(id, pair, transaction);
    const name = changes.name ?? before.name;
    const tags = changes.tags ?? changedTags(before.tags, changes);
    await rows.update(
      id,
      {
        name,
        ...(changes.notes === undefined ? {} : { notes: changes.notes }),
        ...(tags === undefined ? {} : { tags: await tagsOf(tags, transaction) }),
        ...(changes.gitRepo === undefined
          ? {}
          : repositorySecrets.columnsOf(id, changes.gitRepo, await rows.find({ id }, transaction))),
        searchText: searchText({ name, slug: before.slug, ...names }),
      },
      transaction,
    );
  }

  return {
    async create(input, actor) {
      const requestsPorts = input.frontendPort !== undefined || input.backendPort !== undefined;
      const tenant = await retry(() => store.transaction((transaction) => insert(input, transaction)), {
        delaysMs: Array.from({ length: maxAttempts - 1 }, () => 0),
        isTransient: (error) => error instanceof AppError && error.code === 'port_taken' && !requestsPorts,
      });
      await writeAuditLog(createdEntry(tenant, actor));
      return tenant;
    },

    async update(id, changes, actor) {
      const [before, after] = await store.transaction(async (transaction) => {
        await store.lock('tenants', transaction);
        const tenant = await existing(id, transaction);
        await apply(tenant, changes, transaction);
        const changed = await existing(id, transaction);
        const lost = tenant.tags.filter((tag) => !changed.tags.includes(tag));
        await records.tags.removeUnused(lost, transaction);
        return [tenant, changed] as const;
      });
      const changed = changesBetween(before, after);
      if (Object.keys(changed).length > 0)
        await writeAuditLog(auditEntry(after, 'changed', actor, { changes: changed }));
      if (before.domain !== after.domain || before.apiDomain !== after.apiDomain)
        void sites.sync(id).catch(() => undefined);
      return after;
    },
  };
}

const slugTaken = (slug: string): AppError =>
  new AppError('slug_taken', `The slug ${slug} belongs to another tenant. Choose another slug.`);
const domainTaken = (domain: string): AppError =>
  new AppError('domain_taken', `The host name ${domain} belongs to another tenant. Choose another host name.`);
