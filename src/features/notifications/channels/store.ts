import type { Store } from '../../../adapters/store/store.ts';
import { defineTable, flag, id, instant, json, key, type RowOf, tableIn, text } from '../../../adapters/store/table.ts';
import type { ChannelKind, Config } from './kinds.ts';

const columns = {
  id: key(id),
  kind: text<ChannelKind>(255),
  name: text(255),
  enabled: flag,
  target: text(255),
  /** Without secrets. */
  config: json<Config>(),
  /** Sealed. */
  secrets: text(),
  createdAt: instant,
  updatedAt: instant,
};
export const notificationChannelsTable = defineTable('notification_channels', columns);
export type ChannelRow = RowOf<typeof columns>;
export type ChannelStore = ReturnType<typeof createChannelStore>;

/** The channels in the store. */
export const createChannelStore = (store: Store) => tableIn(store, notificationChannelsTable);
