import { Op } from 'sequelize';
import type { Store, Transaction } from '../../../adapters/store/store.ts';
import {
  defineTable,
  flag,
  id,
  instant,
  json,
  key,
  orNull,
  ownedBy,
  type RowOf,
  tableIn,
  text,
} from '../../../adapters/store/table.ts';
import type { KeptPreferences, RuleBody } from './schema.ts';

const ruleColumns = {
  id: key(id),
  enabled: flag,
  rule: json<Omit<RuleBody, 'enabled'>>(),
  createdAt: instant,
  updatedAt: instant,
};
export const notificationRulesTable = defineTable('notification_rules', ruleColumns);
export type RuleRow = RowOf<typeof ruleColumns>;

const preferenceColumns = {
  userId: key(ownedBy('users')),
  preferences: json<Partial<KeptPreferences>>(),
  updatedAt: instant,
};
export const notificationPreferencesTable = defineTable('notification_preferences', preferenceColumns);

const itemColumns = {
  id: key(id),
  digestKey: text(600),
  channelId: id,
  recipient: orNull(text(255)),
  alertKey: ownedBy('alerts', text(255), 'alert_key'),
  dueAt: instant,
  /** The message that contained it; null: it still waits. */
  deliveryKey: orNull(text(255)),
};
export const digestItemsTable = defineTable('digest_items', itemColumns, {
  indexes: [['dueAt'], ['alertKey'], ['deliveryKey', 'dueAt']],
});
export type DigestItem = RowOf<typeof itemColumns>;

/** Rules, what users want to receive, and what waits for a digest. */
export function createRuleStore(store: Store) {
  const rules = tableIn(store, notificationRulesTable);
  const preferences = tableIn(store, notificationPreferencesTable);
  const items = tableIn(store, digestItemsTable);

  return {
    /** The oldest first. */
    rules: (): Promise<RuleRow[]> =>
      rules.all({
        order: [
          ['createdAt', 'ASC'],
          ['id', 'ASC'],
        ],
      }),
    rule: (id: string, transaction?: Transaction): Promise<RuleRow | undefined> => rules.find({ id }, transaction),
    insertRule: (row: RuleRow): Promise<void> => rules.insert(row),
    async updateRule(id: string, changes: Partial<RuleRow>, transaction: Transaction): Promise<void> {
      await rules.update(changes, { id }, transaction);
    },
    /** @returns whether it existed */
    removeRule: async (id: string): Promise<boolean> => (await rules.remove({ id })) > 0,

    allPreferences: async (): Promise<Map<string, Partial<KeptPreferences>>> =>
      new Map((await preferences.all()).map((row) => [row.userId, row.preferences])),
    preferencesOf: async (userId: string): Promise<Partial<KeptPreferences> | undefined> =>
      (await preferences.find({ userId }))?.preferences,
    insertPreferences: (userId: string, kept: KeptPreferences, updatedAt: Date): Promise<void> =>
      preferences.insert({ userId, preferences: kept, updatedAt }),
    async updatePreferences(userId: string, kept: KeptPreferences, updatedAt: Date): Promise<void> {
      await preferences.update({ preferences: kept, updatedAt }, { userId });
    },

    insertItems: (rows: readonly DigestItem[], transaction: Transaction): Promise<void> =>
      items.insertAll(rows, transaction),
    /** The keys of digests that are due. */
    dueDigests: async (now: Date): Promise<string[]> => {
      const due = await items.all({ where: { deliveryKey: null, dueAt: { [Op.lte]: now } }, only: ['digestKey'] });
      return [...new Set(due.map(({ digestKey }) => digestKey))];
    },
    itemsOf: (digestKey: string, dueBy: Date, transaction: Transaction): Promise<DigestItem[]> =>
      items.all({
        where: { digestKey, deliveryKey: null, dueAt: { [Op.lte]: dueBy } },
        order: [['id', 'ASC']],
        transaction,
      }),
    /** Keeps which message contained them; they are removed with their alerts. */
    async saveSent(ids: readonly string[], deliveryKey: string, transaction: Transaction): Promise<void> {
      await items.update({ deliveryKey }, { id: [...ids] }, transaction);
    },
    /** Removes what still waits of alerts whose keys begin so. */
    async removeWaiting(prefix: string): Promise<void> {
      await items.remove({ alertKey: { [Op.gte]: prefix, [Op.lt]: `${prefix}\u{10FFFF}` }, deliveryKey: null });
    },
    itemsOfAlerts: (alertKeys: readonly string[]): Promise<DigestItem[]> =>
      items.all({ where: { alertKey: [...alertKeys] }, order: [['id', 'ASC']] }),
  };
}

export type RuleStore = ReturnType<typeof createRuleStore>;
