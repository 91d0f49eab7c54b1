import { DataTypes, type ModelAttributes } from 'sequelize';
import { idType, instant } from '../columns.ts';
import { buildTables, id, type Migration, required, short, text } from './build.ts';

const userId = {
  type: idType,
  allowNull: false,
  references: { model: 'users', key: 'id' },
  onDelete: 'CASCADE',
} as const;
const alertKey = {
  type: short,
  allowNull: false,
  references: { model: 'alerts', key: 'alert_key' },
  onDelete: 'CASCADE',
} as const;

const tables: Record<string, ModelAttributes> = {
  /** Alerts; each key once. */
  alerts: {
    alert_key: { type: short, primaryKey: true, allowNull: false },
    event: required(DataTypes.STRING(20)),
    severity: required(DataTypes.STRING(20)),
    /** Who may see it: `view`, `operate`, or `own`: only the user whom it is about. */
    access: required(DataTypes.STRING(20)),
    title: required(text),
    text: required(text),
    link: required(text),
    tenants: required(text),
    /** When it happened. */
    at: required(instant),
    created_at: required(instant),
  },
  inbox_entries: {
    id,
    user_id: userId,
    alert_key: alertKey,
    created_at: required(instant),
    read_at: { type: instant, allowNull: true },
  },
  notification_rules: {
    id,
    enabled: required(DataTypes.BOOLEAN),
    rule: required(text),
    created_at: required(instant),
    updated_at: required(instant),
  },
  /** What each user wants to receive. */
  notification_preferences: {
    user_id: { ...userId, primaryKey: true },
    preferences: required(text),
    updated_at: required(instant),
  },
  /** Alerts that wait to be sent with others as one message. */
  digest_items: {
    id,
    digest_key: required(DataTypes.STRING(600)),
    channel_id: required(idType),
    /** null: the channel's own. */
    recipient: { type: short, allowNull: true },
    alert_key: alertKey,
    due_at: required(instant),
  },
};

/** Adds the rules of notifications, the inbox of each user and what waits for a digest. */
export const notificationRules: Migration = {
  name: '0025-notification-rules',
  up: (schema) =>
    buildTables(schema, tables, [
      ['alerts', ['created_at']],
      ['inbox_entries', ['user_id', 'alert_key'], 'unique'],
      ['inbox_entries', ['user_id', 'created_at']],
      ['inbox_entries', ['alert_key']],
      ['digest_items', ['due_at']],
      ['digest_items', ['alert_key']],
    ]),
};
