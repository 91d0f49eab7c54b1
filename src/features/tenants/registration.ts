import { join } from 'node:path';
import type { Actor, WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, invalid, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { PortPair, PortService } from '../ports/ports.ts';
import { auditEntry, changesBetween, createdEntry, removedEntry } from './audit.ts';
import type { TenantRecords } from './records.ts';
import type { RepositorySecrets } from './repository-secrets.ts';
import { searchText } from './search-text.ts';
import type { NewTenant, TenantChanges } from './service.ts';
import type { Domains, TenantStore } from './store.ts';
import type { Tenant } from './tenant.ts';

export interface RegistrationDeps {
  store: Store;
  rows: TenantStore;
  records: TenantRecords;
  repositorySecrets: RepositorySecrets;
  ports: PortService;
  clock: Clock;
  writeAuditLog: WriteAuditLog;
  dataDirectory: string;
  createRelatedRecords: readonly ((tenant: Tenant, transaction: Transaction) => Promise<void>)[];
  assertIdle(tenantId: string): void;
  onHostNamesChanged(tenant: Tenant): void;
}

/** Attempts to allocate ports when another manager takes them first. */
const maxAttempts = 3;

/** Creates, changes and removes tenants, each in one transaction. */
export function createRegistration(deps: RegistrationDeps) {
  const { store, rows, records, repositorySecrets, ports, clock, writeAuditLog } = deps;

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
        deployedVersion: null,
        deployedCommit: null,
        deployedRelease: null,
        createdAt: clock.now(),
        deployedAt: null,
        searchText: searchText(input),
      },
      transaction,
      () => slugTaken(slug),
    );
    await rows.setDomains(id, { domain, apiDomain }, transaction, () => domainTaken(domain));
    await ports.allocate(id, { frontend: input.frontendPort, backend: input.backendPort }, transaction);
    const tenant = await existing(id, transaction);
    for (const make of deps.createRelatedRecords) await make(tenant, transaction);
    return tenant;
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
    if (newNames || newPorts) deps.assertIdle(id);
    if (newNames) {
      await assertDomains(names, id, transaction);
      await rows.setDomains(id, names, transaction, () => domainTaken(names.domain));
    }
    if (newPorts) await ports.reassign(id, pair, transaction);
    const name = changes.name ?? before.name;
    await rows.update(
      id,
      {
        name,
        ...(changes.notes === undefined ? {} : { notes: changes.notes }),
        ...(changes.gitRepo === undefined
          ? {}
          : repositorySecrets.columnsOf(id, changes.gitRepo, await rows.find({ id }, transaction))),
        searchText: searchText({ name, slug: before.slug, ...names }),
      },
      transaction,
    );
  }

  return {
    /** @throws AppError validation_error, slug_taken, domain_taken, port_taken, ports_exhausted */
    async create(input: NewTenant, actor: Actor): Promise<Tenant> {
      const requestsPorts = input.frontendPort !== undefined || input.backendPort !== undefined;
      for (let attempt = 1; ; attempt += 1) {
        try {
          const tenant = await store.transaction((transaction) => insert(input, transaction));
          await writeAuditLog(createdEntry(tenant, actor));
          return tenant;
        } catch (error) {
          const lostPort = error instanceof AppError && error.code === 'port_taken' && !requestsPorts;
          if (!lostPort || attempt === maxAttempts) throw error;
        }
      }
    },

    /** @throws AppError not_found, validation_error, domain_taken, port_taken, operation_in_progress */
    async update(id: string, changes: TenantChanges, actor: Actor): Promise<Tenant> {
      const [before, after] = await store.transaction(async (transaction) => {
        await store.lock('tenants', transaction);
        const tenant = await existing(id, transaction);
        await apply(tenant, changes, transaction);
        return [tenant, await existing(id, transaction)] as const;
      });
      const changed = changesBetween(before, after);
      if (Object.keys(changed).length > 0)
        await writeAuditLog(auditEntry(after, 'changed', actor, { changes: changed }));
      if (before.domain !== after.domain || before.apiDomain !== after.apiDomain) deps.onHostNamesChanged(after);
      return after;
    },

    /** @returns the removed tenant and its ports; undefined if it no longer exists */
    async remove(id: string, actor: Actor): Promise<{ tenant: Tenant; released: number[] } | undefined> {
      const removed = await store.transaction(async (transaction) => {
        await store.lock('tenants', transaction);
        const tenant = await records.find({ id }, transaction);
        if (!tenant) return undefined;
        const released = await ports.release(id, transaction);
        await rows.remove(id, transaction);
        return { tenant, released };
      });
      if (removed) await writeAuditLog(removedEntry(removed.tenant, actor, removed.released));
      return removed;
    },
  };
}

const slugTaken = (slug: string): AppError =>
  new AppError('slug_taken', `The slug ${slug} belongs to another tenant. Choose another slug.`);
const domainTaken = (domain: string): AppError =>
  new AppError('domain_taken', `The host name ${domain} belongs to another tenant. Choose another host name.`);
