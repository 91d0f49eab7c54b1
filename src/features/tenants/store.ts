import { col, DataTypes, fn, type Model, Op, QueryTypes } from 'sequelize';
import {
  fromRawInstant,
  fromRawInstantOrNull,
  idType,
  instant,
  jsonColumn,
  type RawInstant,
} from '../../adapters/store/columns.ts';
import { refuseDuplicate } from '../../adapters/store/conflicts.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import { slugLength } from '../../lib/slug.ts';
import { searchTerm } from './search-text.ts';
import type { HealthFinding, HealthStatus, LiveRelease, TenantHealth, TenantStatus } from './tenant.ts';

/** A row of `tenants`; domains and ports have their own tables. */
export interface TenantRow {
  id: string;
  name: string;
  slug: string;
  status: TenantStatus;
  healthStatus: HealthStatus;
  healthDetails: Record<string, unknown> | null;
  healthSince: Date | null;
  gitRepo: string | null;
  gitRepoSealed: string | null;
  notes: string | null;
  directory: string;
  deployedVersion: string | null;
  deployedCommit: string | null;
  deployedRelease: LiveRelease | null;
  createdAt: Date;
  deployedAt: Date | null;
  searchText: string;
}

/** A row as the database stores it. Tenants are read by plain SQL: building models would dominate the time of a list. */
type RawTenantRow = {
  [Name in keyof TenantRow]: Name extends 'healthDetails' | 'deployedRelease' ? string | null : RawOf<TenantRow[Name]>;
};
type RawOf<Value> = Value extends Date ? RawInstant : Value;

export interface Domains {
  domain: string;
  apiDomain: string;
}

interface DomainRow {
  domain: string;
  tenantId: string;
  role: 'frontend' | 'api';
}

interface Filter {
  status?: TenantStatus | undefined;
  health?: HealthStatus | undefined;
  search?: string | undefined;
}

const within = (transaction: Transaction | undefined) => (transaction ? { transaction } : {});

/** The tables `tenants` and `tenant_domains`. */
export function createTenantStore({ sequelize, select }: Store) {
  const tenants = sequelize.define<Model<TenantRow, TenantRow>>(
    'Tenant',
    {
      id: { type: idType, primaryKey: true },
      name: DataTypes.STRING(255),
      slug: DataTypes.STRING(slugLength.max),
      status: DataTypes.STRING(20),
      healthStatus: DataTypes.STRING(20),
      healthDetails: jsonColumn('healthDetails'),
      healthSince: instant,
      gitRepo: DataTypes.STRING(2_048),
      gitRepoSealed: DataTypes.TEXT,
      notes: DataTypes.TEXT,
      directory: DataTypes.STRING(1_024),
      deployedVersion: DataTypes.STRING(255),
      deployedCommit: DataTypes.STRING(64),
      deployedRelease: jsonColumn('deployedRelease'),
      createdAt: instant,
      deployedAt: instant,
      searchText: DataTypes.TEXT,
    },
    { tableName: 'tenants' },
  );
  const domains = sequelize.define<Model<DomainRow, DomainRow>>(
    'TenantDomain',
    {
      domain: { type: DataTypes.STRING(253), primaryKey: true },
      tenantId: idType,
      role: DataTypes.STRING(20),
    },
    { tableName: 'tenant_domains' },
  );

  const columns = Object.entries(tenants.getAttributes())
    .map(([name, { field }]) => `${field} AS ${name}`)
    .join(', ');
  const read = async (
    clauses: string,
    values: Record<string, unknown>,
    transaction?: Transaction,
  ): Promise<TenantRow[]> =>
    (await select<RawTenantRow>(`SELECT ${columns} FROM tenants ${clauses}`, values, transaction)).map(fromRaw);

  return {
    async find(by: { id: string } | { slug: string }, transaction?: Transaction): Promise<TenantRow | undefined> {
      const [row] = await read('id' in by ? 'WHERE id = :id' : 'WHERE slug = :slug', by, transaction);
      return row;
    },

    async page({ status, health, search }: Filter, { limit, offset }: Paging): Promise<Page<TenantRow>> {
      const term = searchTerm(search ?? '');
      const conditions = [
        ...(status ? ['status = :status'] : []),
        ...(health ? ['health_status = :health'] : []),
        // INSTR has no wildcards, so % and _ match literally.
        ...(term === '' ? [] : ['INSTR(search_text, :term) > 0']),
      ];
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
      const values = { status, health, term, limit, offset };
      const [items, [counted]] = await Promise.all([
        read(`${where} ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :offset`, values),
        select<{ total: number }>(`SELECT COUNT(*) AS total FROM tenants ${where}`, values),
      ]);
      return { items, total: Number(counted?.total ?? 0) };
    },

    /** The next tenants after the id `after`, ordered by id; empty: from the first. */
    async batch(after: string, limit: number, deployedOnly: boolean): Promise<TenantRow[]> {
      const deployed = deployedOnly ? 'AND deployed_commit IS NOT NULL' : '';
      return read(`WHERE id > :after ${deployed} ORDER BY id LIMIT :limit`, { after, limit });
    },

    async names(ids: readonly string[]): Promise<Map<string, string>> {
      const found = await tenants.findAll({ where: { id: [...ids] }, attributes: ['id', 'name'] });
      return new Map(found.map((item) => [item.get('id') as string, item.get('name') as string]));
    },

    async domainsOf(ids: readonly string[], transaction?: Transaction): Promise<Map<string, Domains>> {
      const found = new Map<string, Domains>();
      if (ids.length === 0) return found;
      const sql = 'SELECT domain, tenant_id AS tenantId, role FROM tenant_domains WHERE tenant_id IN (:ids)';
      for (const { tenantId, role, domain } of await select<DomainRow>(sql, { ids }, transaction)) {
        const before = found.get(tenantId) ?? { domain: '', apiDomain: '' };
        found.set(tenantId, role === 'frontend' ? { ...before, domain } : { ...before, apiDomain: domain });
      }
      return found;
    },

    /** The first of these host names that belongs to a tenant other than `except`. */
    async takenDomain(names: readonly string[], except: string, transaction: Transaction): Promise<string | undefined> {
      const found = await domains.findOne({
        where: { domain: [...names], tenantId: { [Op.ne]: except } },
        transaction,
      });
      return found?.get('domain') as string | undefined;
    },

    /** @throws the error of `taken` if another tenant has the slug */
    async insert(row: TenantRow, transaction: Transaction, taken: () => Error): Promise<void> {
      await refuseDuplicate(tenants.create(row, { transaction }), taken);
    },

    /** Replaces both host names. @throws the error of `taken` if another tenant has one of them */
    async setDomains(tenantId: string, names: Domains, transaction: Transaction, taken: () => Error): Promise<void> {
      await domains.destroy({ where: { tenantId }, transaction });
      const rows: DomainRow[] = [
        { domain: names.domain, tenantId, role: 'frontend' },
        { domain: names.apiDomain, tenantId, role: 'api' },
      ];
      await refuseDuplicate(domains.bulkCreate(rows, { transaction }), taken);
    },

    async update(id: string, changes: Partial<TenantRow>, transaction?: Transaction): Promise<void> {
      await tenants.update(changes, { where: { id }, ...within(transaction) });
    },

    /** The saved health of the tenants that still exist. */
    async healthOf(ids: readonly string[]): Promise<TenantHealth[]> {
      if (ids.length === 0) return [];
      return select<TenantHealth>(
        'SELECT id, slug, status, health_status AS healthStatus FROM tenants WHERE id IN (:ids)',
        { ids },
      );
    },

    /**
     * Saves check results, many rows in one statement: single updates would take longer than the checks.
     * @param changedAt when the status changed; undefined: it did not change, and only the details are written
     */
    async recordHealth(found: readonly HealthFinding[], changedAt: Date | undefined): Promise<void> {
      if (found.length === 0) return;
      const bind: Record<string, string> = {};
      for (const [index, { id, status, details }] of found.entries()) {
        bind[`id${index}`] = id;
        bind[`details${index}`] = JSON.stringify(details);
        if (changedAt) bind[`status${index}`] = status;
      }
      const chosen = (value: string): string =>
        `CASE id ${found.map((_, index) => `WHEN $id${index} THEN $${value}${index}`).join(' ')} END`;
      const status = changedAt ? `, health_status = ${chosen('status')}` : '';
      const ids = found.map((_, index) => `$id${index}`).join(', ');
      const sql = `UPDATE tenants SET health_details = ${chosen('details')}${status} WHERE id IN (${ids})`;
      await sequelize.query(sql, { bind, type: QueryTypes.UPDATE });
      if (changedAt) await tenants.update({ healthSince: changedAt }, { where: { id: found.map(({ id }) => id) } });
    },

    /** @returns whether the status changed */
    async changeStatus(id: string, status: TenantStatus, from: readonly TenantStatus[]): Promise<boolean> {
      const [changed] = await tenants.update({ status }, { where: { id, status: [...from] } });
      return changed > 0;
    },

    async remove(id: string, transaction: Transaction): Promise<boolean> {
      return (await tenants.destroy({ where: { id }, transaction })) > 0;
    },

    /** The number of tenants by status and health status. */
    async counts(): Promise<{ status: TenantStatus; healthStatus: HealthStatus; count: number }[]> {
      const rows = await tenants.findAll({
        attributes: ['status', 'healthStatus', [fn('count', col('id')), 'count']],
        group: ['status', 'health_status'],
      });
      return rows.map((row) => ({
        status: row.get('status') as TenantStatus,
        healthStatus: row.get('healthStatus') as HealthStatus,
        count: Number((row as Model).get('count')),
      }));
    },
  };
}

function fromRaw(row: RawTenantRow): TenantRow {
  return {
    ...row,
    healthDetails: row.healthDetails === null ? null : JSON.parse(row.healthDetails),
    healthSince: fromRawInstantOrNull(row.healthSince),
    deployedRelease: row.deployedRelease === null ? null : JSON.parse(row.deployedRelease),
    createdAt: fromRawInstant(row.createdAt),
    deployedAt: fromRawInstantOrNull(row.deployedAt),
  };
}

export type TenantStore = ReturnType<typeof createTenantStore>;
