import { Op } from 'sequelize';
import type { Store, Transaction } from '../../../adapters/store/store.ts';
import {
  defineTable,
  id,
  instant,
  json,
  key,
  orNull,
  ownedBy,
  parseRow,
  type RowOf,
  tableIn,
  text,
} from '../../../adapters/store/table.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import type { Alert, AlertEvent, Severity } from '../alert.ts';

const alertColumns = {
  alertKey: key(text(255)),
  event: text<AlertEvent>(20),
  severity: text<Severity>(20),
  access: text<AlertAccess>(20),
  title: text(),
  text: text(),
  link: text(),
  tenants: json<Alert['tenants']>(),
  at: instant,
  createdAt: instant,
};
export const alertsTable = defineTable('alerts', alertColumns, { indexes: [['createdAt']] });
export type AlertRow = RowOf<typeof alertColumns>;

/** Who may see an alert: those with this permission, or only the user whom it is about. */
export type AlertAccess = 'view' | 'operate' | 'own';

const entryColumns = {
  id: key(id),
  userId: ownedBy('users'),
  alertKey: ownedBy('alerts', text(255), 'alert_key'),
  createdAt: instant,
  readAt: orNull(instant),
};
export const inboxEntriesTable = defineTable('inbox_entries', entryColumns, {
  indexes: [['userId', 'createdAt'], ['alertKey']],
  unique: [['userId', 'alertKey']],
});
const shownColumns = { ...alertColumns, id, readAt: orNull(instant) };
/** An entry of a user's inbox, with its alert. */
export type InboxEntry = RowOf<typeof shownColumns>;

/** Whose entries, of which alerts. */
export interface InboxFilter {
  userId: string;
  access: readonly AlertAccess[];
  unreadOnly?: boolean;
}

/** Alerts removed in one statement. */
const batchSize = 500;

/** Alerts, and the users whose inbox shows them. */
export function createInboxStore(store: Store) {
  const alerts = tableIn(store, alertsTable);
  const entries = tableIn(store, inboxEntriesTable);
  const from =
    'FROM inbox_entries e JOIN alerts a ON a.alert_key = e.alert_key WHERE e.user_id = :userId AND a.access IN (:access)';
  const unread = 'AND e.read_at IS NULL';
  const selected = alerts.selected.replaceAll(/(^|, )/g, '$1a.');

  const countOf = async (condition: string, { userId, access }: InboxFilter): Promise<number> => {
    const [row] = await store.select<{ count: number }>(`SELECT COUNT(*) AS count ${from} ${condition}`, {
      userId,
      access,
    });
    return Number(row?.count ?? 0);
  };

  return {
    /** Which of these keys have an alert: each is stored once. */
    async storedKeys(keys: readonly string[], transaction?: Transaction): Promise<ReadonlySet<string>> {
      const found = await alerts.all({ where: { alertKey: [...keys] }, only: ['alertKey'], transaction });
      return new Set(found.map(({ alertKey }) => alertKey));
    },

    /** The severities of the alerts whose keys begin so. */
    async severitiesOf(prefix: string): Promise<Severity[]> {
      const alertKey = { [Op.gte]: prefix, [Op.lt]: `${prefix}\u{10FFFF}` };
      return (await alerts.all({ where: { alertKey }, only: ['severity'] })).map(({ severity }) => severity);
    },

    /** The alerts whose keys begin so, the newest first. */
    async announced(prefix: string, limit: number): Promise<Pick<AlertRow, 'alertKey' | 'at' | 'title'>[]> {
      const alertKey = { [Op.gte]: prefix, [Op.lt]: `${prefix}\u{10FFFF}` };
      return alerts.all({
        where: { alertKey },
        only: ['alertKey', 'at', 'title'],
        order: [['createdAt', 'DESC']],
        limit,
      });
    },

    /** The users whose inbox shows these alerts. */
    receivers: (keys: readonly string[]): Promise<{ userId: string; alertKey: string }[]> =>
      entries.all({ where: { alertKey: [...keys] }, only: ['userId', 'alertKey'] }),

    /** The alerts with these keys. */
    alerts: (keys: readonly string[], transaction: Transaction): Promise<AlertRow[]> =>
      alerts.all({ where: { alertKey: [...keys] }, transaction }),

    /** Stores alerts with the entries of users. */
    async insert(
      rows: readonly AlertRow[],
      ofUsers: readonly RowOf<typeof entryColumns>[],
      transaction: Transaction,
    ): Promise<void> {
      await alerts.insertAll(rows, transaction);
      await entries.insertAll(ofUsers, transaction);
    },

    /** Newest first. */
    async list(filter: InboxFilter, { limit, offset }: Paging): Promise<Page<InboxEntry> & { unread: number }> {
      const { userId, access, unreadOnly = false } = filter;
      const condition = unreadOnly ? unread : '';
      const [rows, total, unreadCount] = await Promise.all([
        store.select(
          `SELECT ${selected}, e.id, e.read_at AS readAt ${from} ${condition} ORDER BY e.created_at DESC, e.id DESC LIMIT :limit OFFSET :offset`,
          { userId, access, limit, offset },
        ),
        countOf(condition, filter),
        countOf(unread, filter),
      ]);
      return { items: rows.map((row) => parseRow(shownColumns, row)), total, unread: unreadCount };
    },

    unread: (filter: InboxFilter): Promise<number> => countOf(unread, filter),

    /** Marks a user's entries as read; without ids, all. @returns how many changed */
    markRead: (userId: string, ids: readonly string[] | undefined, readAt: Date): Promise<number> =>
      entries.update({ readAt }, { userId, readAt: null, ...(ids ? { id: [...ids] } : {}) }),

    /** Removes alerts from before this time, with their entries. */
    async removeOlderThan(before: Date): Promise<void> {
      for (;;) {
        const old = await alerts.all({
          where: { createdAt: { [Op.lt]: before } },
          only: ['alertKey'],
          limit: batchSize,
        });
        if (old.length === 0) return;
        await alerts.remove({ alertKey: old.map(({ alertKey }) => alertKey) });
      }
    },
  };
}

export type InboxStore = ReturnType<typeof createInboxStore>;
