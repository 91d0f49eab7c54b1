import { DataTypes } from 'sequelize';
import { buildTables, type Index, type Migration } from './build.ts';

const indexes: Index[] = [
  ['log_entries', ['topic', 'created_at']],
  ['log_entries', ['tenant_id', 'topic', 'created_at']],
  ['deployments', ['kind', 'created_at']],
  ['incident_entries', ['at']],
];

/** Adds what entries of the audit log are about, and the indexes to read timelines, newest first. */
export const timeline: Migration = {
  name: '0026-timeline',
  async up(schema) {
    if (!('topic' in (await schema.describeTable('log_entries'))))
      await schema.addColumn('log_entries', 'topic', { type: DataTypes.STRING(20), allowNull: true });
    await buildTables(schema, {}, indexes);
  },
};
