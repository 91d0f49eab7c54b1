import { DataTypes, type ModelAttributes } from 'sequelize';
import { idType, instant } from '../columns.ts';
import { buildTables, id, type Migration, required, short, text } from './build.ts';

const tables: Record<string, ModelAttributes> = {
  notification_channels: {
    id,
    kind: required(short),
    name: required(short),
    enabled: required(DataTypes.BOOLEAN),
    /** Where it leads, without secrets. */
    target: required(short),
    config: required(text),
    /** The secrets of its configuration, sealed together; empty: none. */
    secrets: required(text),
    created_at: required(instant),
    updated_at: required(instant),
  },
  notification_deliveries: {
    /** Made from the channel, the recipient and the key: the same message has the same. */
    id,
    channel_id: {
      type: idType,
      allowNull: false,
      references: { model: 'notification_channels', key: 'id' },
      onDelete: 'CASCADE',
    },
    delivery_key: required(short),
    recipient: { type: short, allowNull: true },
    message: required(text),
    state: required(short),
    attempts: required(DataTypes.INTEGER),
    not_before: required(instant),
    expires_at: required(instant),
    outcome: { type: text, allowNull: true },
    maybe_twice: required(DataTypes.BOOLEAN),
    created_at: required(instant),
    attempted_at: { type: instant, allowNull: true },
  },
};

/** Adds the channels of notifications and what they send. */
export const notificationChannels: Migration = {
  name: '0023-notification-channels',
  up: (schema) =>
    buildTables(schema, tables, [
      ['notification_deliveries', ['state', 'not_before']],
      ['notification_deliveries', ['channel_id', 'attempted_at']],
      ['notification_deliveries', ['created_at']],
    ]),
};
