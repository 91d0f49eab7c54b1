import { DataTypes, type ModelAttributes } from 'sequelize';
import { idType, instant } from '../columns.ts';
import { buildTables, type Index, id, type Migration, required, short } from './build.ts';

const tables: Record<string, ModelAttributes> = {
  /** One row per sign-in. Access tokens contain its id; a browser's cookie contains a secret, of which the hash is stored. */
  sessions: {
    id,
    user_id: {
      type: idType,
      allowNull: false,
      references: { model: 'users', key: 'id' },
      onDelete: 'CASCADE',
    },
    kind: required(DataTypes.STRING(20)),
    secret_hash: DataTypes.STRING(64),
    /** The user's token version at the sign-in: a session of an older version has ended. */
    token_version: required(DataTypes.INTEGER),
    created_at: required(instant),
    last_used_at: required(instant),
    expires_at: required(instant),
    address: required(short),
    user_agent: required(short),
  },
};

const indexes: Index[] = [
  ['sessions', ['secret_hash'], 'unique'],
  ['sessions', ['user_id', 'created_at']],
  ['sessions', ['expires_at']],
];

export const sessions: Migration = {
  name: '0010-sessions',
  up: (schema) => buildTables(schema, tables, indexes),
};
