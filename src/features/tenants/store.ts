import { col, Op, QueryTypes } from 'sequelize';
import type { DatabaseSlot } from '../../adapters/databases/tenant-database.ts';
import { refuseDuplicate } from '../../adapters/store/conflicts.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import {
  containsText,
  defineTable,
  id,
  instant,
  json,
  key,
  oneOf,
  orNull,
  ownedBy,
  type RowOf,
  tableIn,
  text,
  unique,
  withDefault,
} from '../../adapters/store/table.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import { slugLength } from '../../lib/text/slug.ts';
import { searchTerm } from './search-text.ts';
import type { HealthFinding, HealthStatus, LiveRelease, TenantHealth, TenantStatus } from './tenant.ts';

const columns = {
  id: key(id),
  name: text(255),
  slug: unique(text(slugLength.max)),
  status: text<TenantStatus>(20),
  healthStatus: text<HealthStatus>(20),
  healthDetails: orNull(json<Record<string, unknown>>()),
  healthSince: orNull(instant),
  gitRepo: orNull(text(2_048)),
  gitRepoSealed: orNull(text()),
  notes: orNull(text()),
  directory: text(1_024),
  databaseSlot: withDefault(0, oneOf<DatabaseSlot>()),
  lostData: orNull(text()),
  deployedVersion: orNull(text(255)),
  deployedCommit: orNull(text(64)),
  deployedRelease: orNull(json<LiveRelease>()),
  createdAt: instant,
  deployedAt: orNull(instant),
  searchText: text(),
  tags: orNull(json<string[]>()),
};
export const tenantsTable = defineTable('tenants', columns, {
  indexes: [
    ['createdAt', 'id'],
    ['status', 'createdAt', 'id'],
  ],
});
/** A row of `tenants`; domains and ports have their own tables. */
export type TenantRow = RowOf<typeof columns>;

const domainColumns = { domain: key(text(253)), tenantId: ownedBy('tenants'), role: text<'frontend' | 'api'>(20) };
export const tenantDomainsTable = defineTable('tenant_domains', domainColumns, { indexes: [['tenantId']] });

export interface Domains {
  domain: string;
  apiDomain: string;
}

interface Filter {
  status?: TenantStatus | undefined;
  health?: HealthStatus | undefined;
  search?: string | undefined;
  /** As it is spelt. */
  tag?: string | undefined;
}

/**
 * Saves the health of many tenants in one statement: single updates would take longer than the checks. Values are bound by
 * the tenant's position: `:id0`, `:details0`, `:status0`.
 */
function recordHealthSql(count: number, statusChanged: boolean): string {
  const positions = [...Array(count).keys()];
  const chosen = (value: string) =>
    `CASE id ${positions.map((at) => `WHEN :id${at} THEN :${value}${at}`).join(' ')} END`;
  const status = statusChanged ? `, health_status = ${chosen('status')}` : '';
  return `UPDATE tenants SET health_details = ${chosen('details')}${status} WHERE id IN (:ids)`;
}

/** Names of tags contain no quotes. */
const hasTag = (name: string) => containsText(col('tags'), JSON.stringify(name));

/** The tables `tenants` and `tenant_domains`. */
export function createTenantStore(store: Store) {
  const tenants = tableIn(store, tenantsTable);
  const domains = tableIn(store, tenantDomainsTable);

  return {
    find: (by: { id: string } | { slug: string }, transaction?: Transaction): Promise<TenantRow | undefined> =>
      tenants.find(by, transaction),

    page({ status, health, search, tag }: Filter, paging: Paging): Promise<Page<TenantRow>> {
      const term = searchTerm(search ?? '');
      const where = [
        { ...(status ? { status } : {}), ...(health ? { healthStatus: health } : {}) },
        ...(term === '' ? [] : [containsText(col('search_text'), term)]),
        ...(tag === undefined ? [] : [hasTag(tag)]),
      ];
      return tenants.page({ [Op.and]: where }, paging);
    },

    /** The next tenants after the id `after`, ordered by id; empty: from the first. */
    batch(after: string, limit: number, deployedOnly: boolean): Promise<TenantRow[]> {
      const where = { id: { [Op.gt]: after }, ...(deployedOnly ? { deployedCommit: { [Op.ne]: null } } : {}) };
      return tenants.all({ where, order: [['id', 'ASC']], limit });
    },

    names: async (ids: readonly string[]): Promise<Map<string, string>> =>
      new Map((await tenants.all({ where: { id: [...ids] }, only: ['id', 'name'] })).map(({ id, name }) => [id, name])),

    /** The tags of all tenants, each as often as there are tenants with it. */
    tagsInUse: async (): Promise<string[]> =>
      (await tenants.all({ where: { tags: { [Op.ne]: null } }, only: ['tags'] })).flatMap(({ tags }) => tags ?? []),

    someHasTag: async (name: string, transaction: Transaction): Promise<boolean> =>
      (await tenants.find(hasTag(name), transaction)) !== undefined,

    async domainsOf(ids: readonly string[], transaction?: Transaction): Promise<Map<string, Domains>> {
      const found = new Map<string, Domains>();
      if (ids.length === 0) return found;
      for (const { tenantId, role, domain } of await domains.all({ where: { tenantId: [...ids] }, transaction })) {
        const before = found.get(tenantId) ?? { domain: '', apiDomain: '' };
        found.set(tenantId, role === 'frontend' ? { ...before, domain } : { ...before, apiDomain: domain });
      }
      return found;
    },

    /** The first of these host names that belongs to a tenant other than `except`. */
    async takenDomain(names: readonly string[], except: string, transaction: Transaction): Promise<string | undefined> {
      return (await domains.find({ domain: [...names], tenantId: { [Op.ne]: except } }, transaction))?.domain;
    },

    /** @throws the error of `taken` if another tenant has the slug */
    async insert(row: TenantRow, transaction: Transaction, taken: () => Error): Promise<void> {
      await refuseDuplicate(tenants.insert(row, transaction), taken);
    },

    /** Replaces both host names. @throws the error of `taken` if another tenant has one of them */
    async setDomains(tenantId: string, names: Domains, transaction: Transaction, taken: () => Error): Promise<void> {
      await domains.remove({ tenantId }, { transaction });
      const rows: RowOf<typeof domainColumns>[] = [
        { domain: names.domain, tenantId, role: 'frontend' },
        { domain: names.apiDomain, tenantId, role: 'api' },
      ];
      await refuseDuplicate(domains.insertAll(rows, transaction), taken);
    },

    async update(id: string, changes: Partial<TenantRow>, transaction?: Transaction): Promise<void> {
      await tenants.update(changes, { id }, transaction);
    },

    /** The saved health of the tenants that still exist. */
    healthOf: async (ids: readonly string[]): Promise<TenantHealth[]> =>
      tenants.all({ where: { id: [...ids] }, only: ['id', 'slug', 'status', 'healthStatus'] }),

    /**
     * Saves check results.
     * @param changedAt when the status changed; undefined: it did not change, and only the details are written
     */
    async recordHealth(found: readonly HealthFinding[], changedAt: Date | undefined): Promise<void> {
      if (found.length === 0) return;
      const ids = found.map(({ id }) => id);
      const replacements: Record<string, unknown> = { ids };
      for (const [at, { id, status, details }] of found.entries())
        Object.assign(replacements, {
          [`id${at}`]: id,
          [`status${at}`]: status,
          [`details${at}`]: JSON.stringify(details),
        });
      const sql = recordHealthSql(found.length, changedAt !== undefined);
      await store.sequelize.query(sql, { replacements, type: QueryTypes.UPDATE });
      if (changedAt) await tenants.update({ healthSince: changedAt }, { id: ids });
    },

    /** @returns whether the status changed */
    changeStatus: async (id: string, status: TenantStatus, from: readonly TenantStatus[]): Promise<boolean> =>
      (await tenants.update({ status }, { id, status: [...from] })) > 0,

    remove: async (id: string, transaction: Transaction): Promise<boolean> =>
      (await tenants.remove({ id }, { transaction })) > 0,

    /** The number of tenants by status and health status. */
    counts: () => tenants.countBy(['status', 'healthStatus']),
  };
}

export type TenantStore = ReturnType<typeof createTenantStore>;
