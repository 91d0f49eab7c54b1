import { col, DataTypes, fn, type Model, Op, type WhereOptions, where } from 'sequelize';
import type { LogCategory, LogLevel } from '../../adapters/events/journal-entry.ts';
import { idType, instant, jsonColumn } from '../../adapters/store/columns.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import { searchTerm } from '../tenants/tenants.ts';

/** An entry as it is kept. */
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
  /** A part of the message or of what the tenant is known by, in any case of letters. */
  search?: string | undefined;
  /** Who did it, or whom it was done to. */
  username?: string | undefined;
  /** Both moments included. */
  since?: Date | undefined;
  until?: Date | undefined;
}

/** Tenants whose entries a search finds by their name or domain; a part that more of them have is no name. */
const mostTenants = 1_000;

/** The journal's table; entries are added and in the end removed, never changed. */
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

  async function tenantsFound(search = ''): Promise<string[]> {
    const term = searchTerm(search);
    if (term === '') return [];
    const sql = 'SELECT id FROM tenants WHERE INSTR(search_text, :term) > 0 LIMIT :mostTenants';
    return (await select<{ id: string }>(sql, { term, mostTenants })).map(({ id }) => id);
  }

  return {
    async insert(row: LogRow): Promise<void> {
      await entries.create(row);
    },

    /** Newest first, in the order of writing. */
    async list(filter: LogFilter, { limit, offset }: Paging): Promise<Page<LogRow>> {
      const conditions = conditionsOf(filter, await tenantsFound(filter.search));
      const [items, total] = await Promise.all([
        entries.findAll({ where: conditions, order: [['seq', 'DESC']], limit, offset }),
        entries.count({ where: conditions }),
      ]);
      return { items: items.map((item) => item.get()), total };
    },

    /** Removes at most `limit` entries made before. @returns how many */
    removeSome: (before: Date, limit: number): Promise<number> =>
      entries.destroy({ where: { createdAt: { [Op.lt]: before } }, limit }),
  };
}

/** INSTR knows no wildcards, so that % and _ are found as themselves. */
const holds = (text: ReturnType<typeof fn> | ReturnType<typeof col>, part: string) =>
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
                holds(fn('LOWER', col('message')), term),
                holds(col('tenant_slug'), term),
                { tenantId: tenantIds },
              ],
            },
          ]
        : []),
      // Details are kept as JSON in our own spelling, without white space.
      ...(username ? [holds(col('details'), `"username":${JSON.stringify(username)}`)] : []),
    ],
  };
}

export type LogStore = ReturnType<typeof createLogStore>;
