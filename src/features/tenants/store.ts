import { col, DataTypes, fn, type Model, Op, type WhereOptions, where } from 'sequelize';
import type { Page, Paging } from '../../platform/http/paging.ts';
import { idType, instant, jsonColumn } from '../../platform/store/columns.ts';
import { refuseDuplicate } from '../../platform/store/conflicts.ts';
import type { Store, Transaction } from '../../platform/store/store.ts';
import { searchTerm } from './search-text.ts';
import type { HealthStatus, LiveRelease, TenantStatus } from './tenant.ts';

/** A row of `tenants`; domains and ports have tables of their own. */
export interface TenantRow {
  id: string;
  name: string;
  slug: string;
  status: TenantStatus;
  healthStatus: HealthStatus;
  healthDetails: Record<string, unknown> | null;
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
  search?: string | undefined;
}

const within = (transaction: Transaction | undefined) => (transaction ? { transaction } : {});

/** The tables `tenants` and `tenant_domains`. */
export function createTenantStore({ sequelize }: Store) {
  const tenants = sequelize.define<Model<TenantRow, TenantRow>>(
    'Tenant',
    {
      id: { type: idType, primaryKey: true },
      name: DataTypes.STRING(255),
      slug: DataTypes.STRING(40),
      status: DataTypes.STRING(20),
      healthStatus: DataTypes.STRING(20),
      healthDetails: jsonColumn('healthDetails'),
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

  return {
    async find(by: { id: string } | { slug: string }, transaction?: Transaction): Promise<TenantRow | undefined> {
      return (await tenants.findOne({ where: by, ...within(transaction) }))?.get();
    },

    async page({ status, search }: Filter, { limit, offset }: Paging): Promise<Page<TenantRow>> {
      const term = searchTerm(search ?? '');
      const conditions: WhereOptions<TenantRow> = {
        [Op.and]: [
          ...(status ? [{ status }] : []),
          // INSTR knows no wildcards, so that % and _ are found as themselves.
          ...(term === '' ? [] : [where(fn('instr', col('search_text'), term), Op.gt, 0)]),
        ],
      };
      const order: [string, string][] = [
        ['createdAt', 'DESC'],
        ['id', 'DESC'],
      ];
      const [items, total] = await Promise.all([
        tenants.findAll({ where: conditions, order, limit, offset }),
        tenants.count({ where: conditions }),
      ]);
      return { items: items.map((item) => item.get()), total };
    },

    /** The next tenants by id after `after` (empty: from the first). */
    async batch(after: string, limit: number, deployedOnly: boolean): Promise<TenantRow[]> {
      const conditions: WhereOptions<TenantRow> = {
        id: { [Op.gt]: after },
        ...(deployedOnly ? { deployedCommit: { [Op.ne]: null } } : {}),
      };
      return (await tenants.findAll({ where: conditions, order: ['id'], limit })).map((item) => item.get());
    },

    async names(ids: readonly string[]): Promise<Map<string, string>> {
      const found = await tenants.findAll({ where: { id: [...ids] }, attributes: ['id', 'name'] });
      return new Map(found.map((item) => [item.get('id') as string, item.get('name') as string]));
    },

    async domainsOf(ids: readonly string[], transaction?: Transaction): Promise<Map<string, Domains>> {
      const found = new Map<string, Domains>();
      if (ids.length === 0) return found;
      for (const item of await domains.findAll({ where: { tenantId: [...ids] }, ...within(transaction) })) {
        const { tenantId, role, domain } = item.get();
        const before = found.get(tenantId) ?? { domain: '', apiDomain: '' };
        found.set(tenantId, role === 'frontend' ? { ...before, domain } : { ...before, apiDomain: domain });
      }
      return found;
    },

    /** The first of these host names that a tenant has, other than `except`. */
    async takenDomain(names: readonly string[], except: string, transaction: Transaction): Promise<string | undefined> {
      const found = await domains.findOne({
        where: { domain: [...names], tenantId: { [Op.ne]: except } },
        transaction,
      });
      return found?.get('domain') as string | undefined;
    },

    /** @throws what `taken` answers where the slug is another tenant's */
    async insert(row: TenantRow, transaction: Transaction, taken: () => Error): Promise<void> {
      await refuseDuplicate(tenants.create(row, { transaction }), taken);
    },

    /** Replaces both host names. @throws what `taken` answers where one is another tenant's */
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

    /** @returns whether a row was changed */
    async changeStatus(id: string, status: TenantStatus, from: readonly TenantStatus[]): Promise<boolean> {
      const [changed] = await tenants.update({ status }, { where: { id, status: [...from] } });
      return changed > 0;
    },

    async remove(id: string, transaction: Transaction): Promise<boolean> {
      return (await tenants.destroy({ where: { id }, transaction })) > 0;
    },

    /** How many there are of each status and health status. */
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

export type TenantStore = ReturnType<typeof createTenantStore>;
