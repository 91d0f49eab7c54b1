import { col, fn, Op, type WhereOptions } from 'sequelize';
import { z } from 'zod';
import type { LogCategory, LogLevel, LogTopic } from '../../adapters/events/audit-log-entry.ts';
import { type NewestOf, newestRows } from '../../adapters/store/newest.ts';
import type { Store } from '../../adapters/store/store.ts';
import {
  containsText,
  counter,
  defineTable,
  id,
  instant,
  json,
  orNull,
  parseRow,
  type RowOf,
  tableIn,
  text,
  unique,
} from '../../adapters/store/table.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import { searchTerm } from '../tenants/tenants.ts';

const columns = {
  seq: counter,
  id: unique(id),
  tenantId: orNull(id),
  tenantSlug: orNull(text(40)),
  level: text<LogLevel>(20),
  category: text<LogCategory>(20),
  topic: orNull(text<LogTopic>(20)),
  message: text(),
  details: json<Record<string, unknown>>(),
  createdAt: instant,
};
export const logEntriesTable = defineTable('log_entries', columns, {
  indexes: [
    ['createdAt'],
    ['tenantId', 'seq'],
    ['category', 'seq'],
    ['category', 'level', 'seq'],
    ['level', 'seq'],
    ['topic', 'createdAt'],
    ['tenantId', 'topic', 'createdAt'],
  ],
});
/** An entry as the database stores it; `seq` is its place in the order of insertion. */
export type LogRow = Omit<RowOf<typeof columns>, 'seq'>;

export type NumberedLogRow = RowOf<typeof columns>;

export interface LogFilter {
  tenantId?: string | undefined;
  level?: LogLevel | undefined;
  category?: LogCategory | LogCategory[] | undefined;
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

/** Names are in the tenants' search texts. INSTR has no wildcards, so % and _ match literally. */
const tenantsFoundByText = 'SELECT id FROM tenants WHERE INSTR(search_text, :term) > 0 LIMIT :maxTenants';

/** The entries of changed statuses; a tenant has few others. Details are stored as JSON without white space. */
const lastStops = `
  SELECT tenant_id AS tenantId, details, created_at AS createdAt FROM log_entries WHERE seq IN (
    SELECT MAX(seq) FROM log_entries
    WHERE tenant_id IN (:tenantIds) AND category = 'system' AND INSTR(details, '"after":"stopped"') > 0 GROUP BY tenant_id
  )`;

const stopDetails = z.object({ username: z.string().optional() });

/** The audit log's table. Entries are added and eventually removed, never changed. */
export function createLogStore(store: Store) {
  const entries = tableIn(store, logEntriesTable);

  async function findTenantIds(search = ''): Promise<string[]> {
    const term = searchTerm(search);
    if (term === '') return [];
    return (await store.select<{ id: string }>(tenantsFoundByText, { term, maxTenants })).map(({ id }) => id);
  }

  return {
    insert: (row: LogRow): Promise<void> => entries.insert(row),

    /** Newest first, in insertion order. */
    list: async (filter: LogFilter, paging: Paging): Promise<Page<LogRow>> =>
      entries.page(conditionsOf(filter, await findTenantIds(filter.search)), paging, [['seq', 'DESC']]),

    /** When the status of each of these tenants last became `stopped`, and by whom; null: not by a user. */
    async lastStops(tenantIds: readonly string[]): Promise<Map<string, { username: string | null; createdAt: Date }>> {
      if (tenantIds.length === 0) return new Map();
      const rows = await store.select<Record<string, unknown>>(lastStops, { tenantIds: [...tenantIds] });
      const { tenantId, details, createdAt } = columns;
      const found = rows.map((row) => parseRow({ tenantId, details, createdAt }, row));
      return new Map(
        found.map((row) => [
          row.tenantId ?? '',
          { username: stopDetails.parse(row.details).username ?? null, createdAt: row.createdAt },
        ]),
      );
    },

    /** The entries after a place in the order of insertion, oldest first. */
    after: (seq: number, limit: number): Promise<NumberedLogRow[]> =>
      entries.all({ where: { seq: { [Op.gt]: seq } }, order: [['seq', 'ASC']], limit }),

    /** The newest entries of some topics. */
    async newest(asked: NewestOf<LogTopic>): Promise<NumberedLogRow[]> {
      const columnsOf = { id: 'seq', time: 'created_at', group: 'topic', subject: 'tenant_id' };
      const rows = await newestRows(store, { table: 'log_entries', selected: entries.selected, ...columnsOf }, asked);
      return rows.map((row) => parseRow(columns, row));
    },

    /** The place of the newest entry; 0: there is none. */
    async lastSeq(): Promise<number> {
      const [last] = await entries.all({ only: ['seq'], order: [['seq', 'DESC']], limit: 1 });
      return last?.seq ?? 0;
    },

    /** Removes at most `limit` entries from before this time. @returns the number of removed entries */
    removeSome: (before: Date, limit: number): Promise<number> =>
      entries.remove({ createdAt: { [Op.lt]: before } }, { limit }),
  };
}

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
                containsText(fn('LOWER', col('message')), term),
                containsText(col('tenant_slug'), term),
                { tenantId: tenantIds },
              ],
            },
          ]
        : []),
      // Details are stored as JSON without white space.
      ...(username ? [containsText(col('details'), `"username":${JSON.stringify(username)}`)] : []),
    ],
  };
}

export type LogStore = ReturnType<typeof createLogStore>;
