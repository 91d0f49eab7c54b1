import type { ModelAttributes } from 'sequelize';
import { idType, instant } from '../columns.ts';
import { buildTables, type Migration, required, text } from './build.ts';

const tables: Record<string, ModelAttributes> = {
  /** How each user likes the dashboard. */
  user_preferences: {
    user_id: {
      type: idType,
      primaryKey: true,
      allowNull: false,
      references: { model: 'users', key: 'id' },
      onDelete: 'CASCADE',
    },
    preferences: required(text),
    updated_at: required(instant),
  },
};

/** Adds users' preferences. */
export const userPreferences: Migration = {
  name: '0020-user-preferences',
  up: (schema) => buildTables(schema, tables, []),
};
