import { Op, type WhereOptions } from 'sequelize';
import type { Store, Transaction } from '../../../adapters/store/store.ts';
import {
  defineTable,
  flag,
  id,
  instant,
  integer,
  json,
  key,
  named,
  orNull,
  ownedBy,
  parseRow,
  type RowOf,
  tableIn,
  text,
} from '../../../adapters/store/table.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import type { DeliveryFilter, DeliveryState, Message } from './delivery.ts';

/** A message as JSON keeps it. */
type StoredMessage = Omit<Message, 'at'> & { at: string };

const columns = {
  id: key(id),
  channelId: ownedBy('notification_channels'),
  key: named('delivery_key', text(255)),
  recipient: orNull(text(255)),
  message: json<StoredMessage>(),
  state: text<DeliveryState>(255),
  attempts: integer,
  notBefore: instant,
  expiresAt: instant,
  outcome: orNull(text()),
  maybeTwice: flag,
  createdAt: instant,
  attemptedAt: orNull(instant),
};
export const notificationDeliveriesTable = defineTable('notification_deliveries', columns, {
  indexes: [['state', 'notBefore'], ['channelId', 'attemptedAt'], ['createdAt'], ['key']],
});
export type DeliveryRow = RowOf<typeof columns>;
export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

/** Rows removed in one statement; more would block writers for too long. */
const removalBatch = 2_000;

const due = `SELECT DISTINCT channel_id AS channelId FROM notification_deliveries
  WHERE state = 'waiting' AND not_before <= :now`;
/** The last attempt of each of the channels. */
const lastOf = (selected: string) => `SELECT ${selected} FROM notification_deliveries
  WHERE channel_id = :channelId AND attempted_at IS NOT NULL ORDER BY attempted_at DESC LIMIT 1`;

/** The deliveries in the store. */
export function createDeliveryStore(store: Store) {
  const rows = tableIn(store, notificationDeliveriesTable);
  return {
    find: (deliveryId: string) => rows.find({ id: deliveryId }),
    insertNew: (deliveries: readonly DeliveryRow[], transaction?: Transaction) =>
      rows.insertNew(deliveries, transaction),
    list: (filter: DeliveryFilter, paging: Paging): Promise<Page<DeliveryRow>> =>
      rows.page(conditionsOf(filter), paging),
    /** The deliveries with these keys, the oldest first. */
    ofKeys: (keys: readonly string[]): Promise<DeliveryRow[]> =>
      rows.all({
        where: { key: [...keys] },
        order: [
          ['createdAt', 'ASC'],
          ['id', 'ASC'],
        ],
      }),
    pending: (channelId?: string): Promise<number> =>
      rows.count({ state: ['waiting', 'sending'], ...(channelId ? { channelId } : {}) }),
    sending: () => rows.all({ where: { state: 'sending' }, only: ['id', 'channelId'] }),

    /** The channels that have something to send. */
    async dueChannels(now: Date): Promise<string[]> {
      return (await store.select<{ channelId: string }>(due, { now })).map(({ channelId }) => channelId);
    },
    /** What a channel has to send, the earliest first. */
    dueOf: (channelId: string, now: Date, limit: number): Promise<DeliveryRow[]> =>
      rows.all({
        where: { channelId, state: 'waiting', notBefore: { [Op.lte]: now } },
        order: [
          ['notBefore', 'ASC'],
          ['createdAt', 'ASC'],
          ['id', 'ASC'],
        ],
        limit,
      }),

    /** Changes a delivery that is in this state. @returns whether it was */
    async move(deliveryId: string, from: DeliveryState, changes: Partial<DeliveryRow>): Promise<boolean> {
      return (await rows.update(changes, { id: deliveryId, state: from })) > 0;
    },

    async lastAttempt(channelId: string): Promise<DeliveryRow | undefined> {
      const [row] = await store.select<Record<string, unknown>>(lastOf(rows.selected), { channelId });
      return row && parseRow(columns, row);
    },

    /** Removes delivered and failed ones from before this time, in batches. */
    async removeEndedBefore(before: Date): Promise<void> {
      const where = { state: ['delivered', 'failed'], createdAt: { [Op.lt]: before } } as WhereOptions<DeliveryRow>;
      while ((await rows.remove(where, { limit: removalBatch })) === removalBatch);
    },
  };
}

const conditionsOf = ({ channelId, state }: DeliveryFilter): WhereOptions<DeliveryRow> => ({
  ...(channelId ? { channelId } : {}),
  ...(state ? { state } : {}),
});
