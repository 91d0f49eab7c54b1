import { col, DataTypes, fn, type Model, Op, type WhereOptions, where } from 'sequelize';
import type { LogCategory, LogLevel } from '../../adapters/events/audit-log-entry.ts';
import { idType, instant, jsonColumn } from '../../adapters/store/columns.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import { searchTerm } from '../tenants/tenants.ts';

/** An entry as the database stores it. */
export interface LogRow {
  id: string;
  tenantId: string | null;
  tenantSlug: string | null;
  level: LogLevel;
  category: LogCategory;
  message: string;
  details: Record<string, unknown>;
  createdAt: Date;
}

export interface LogFilter {
  tenantId?: string | undefined;
  level?: LogLevel | undefined;
  category?: LogCategory | undefined;
  /** Part of the message or of the tenant's name, slug or domains; case-insensitive. */
  search?: string | undefined;
  /** The user who acted or was affected. */
  username?: string | undefined;
  /** Both inclusive. */
  since?: Date | undefined;
  until?: Date | undefined;
}

/** A search finds the entries of at most this many tenants by name or domain. */
const maxTenants = 1_000;

/** The audit log's table. Entries are added and eventually removed, never changed. */
export function createLogStore({ sequelize, select }: Store) {
  const entries = sequelize.define<Model<LogRow & { seq?: number }, LogRow>>(
    'LogEntry',
    {
      seq: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
      id: { type: idType, allowNull: false },
      tenantId: { type: idType },
      tenantSlug: { type: DataTypes.STRING(40) },
      level: { type: DataTypes.STRING(20), allowNull: false },
      category: { type: DataTypes.STRING(20), allowNull: false },
      message: { type: DataTypes.TEXT, allowNull: false },
      details: jsonColumn('details'),
      createdAt: { type: instant, allowNull: false },
    },
    { tableName: 'log_entries' },
  );

  async function findTenantIds(search = ''): Promise<string[]> {
    const term = searchTerm(search);
    if (term === '') return [];
    const sql = 'SELECT id FROM tenants WHERE INSTR(search_text, :term) > 0 LIMIT :maxTenants';
    return (await select<{ id: string }>(sql, { term, maxTenants })).map(({ id }) => id);
  }

  return {
    async insert(row: LogRow): Promise<void> {
      await entries.create(row);
    },

    /** Newest first, in insertion order. */
    async list(filter: LogFilter, { limit, offset }: Paging): Promise<Page<LogRow>> {
      const conditions = conditionsOf(filter, await findTenantIds(filter.search));
      const [items, total] = await Promise.all([
        entries.findAll({ where: conditions, order: [['seq', 'DESC']], limit, offset }),
        entries.count({ where: conditions }),
      ]);
      return { items: items.map((item) => item.get()), total };
    },

    /** Removes at most `limit` entries from before this time. @returns the number of removed entries */
    removeSome: (before: Date, limit: number): Promise<number> =>
      entries.destroy({ where: { createdAt: { [Op.lt]: before } }, limit }),
  };
}

/** INSTR has no wildcards, so % and _ match literally. */
const contains = (text: ReturnType<typeof fn> | ReturnType<typeof col>, part: string) =>
  where(fn('INSTR', text, part), { [Op.gt]: 0 });

function conditionsOf(
  { search, username, since, until, ...same }: LogFilter,
  tenantIds: string[],
): WhereOptions<LogRow> {
  const equal = Object.entries(same).filter(([, value]) => value !== undefined);
  const term = search?.trim().toLowerCase();
  return {
    [Op.and]: [
      Object.fromEntries(equal),
      ...(since ? [{ createdAt: { [Op.gte]: since } }] : []),
      ...(until ? [{ createdAt: { [Op.lte]: until } }] : []),
      ...(term
        ? [
            {
              [Op.or]: [
                contains(fn('LOWER', col('message')), term),
                contains(col('tenant_slug'), term),
                { tenantId: tenantIds },
              ],
            },
          ]
        : []),
      // Details are stored as JSON without white space.
      ...(username ? [contains(col('details'), `"username":${JSON.stringify(username)}`)] : []),
    ],
  };
}

export type LogStore = ReturnType<typeof createLogStore>;
