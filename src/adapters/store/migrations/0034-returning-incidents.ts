import { DataTypes } from 'sequelize';
import type { Migration } from './build.ts';

/** Adds how often an incident has returned, up to which return that was announced, and what its cause names. */
export const returningIncidents: Migration = {
  name: '0034-returning-incidents',
  async up(schema) {
    const incidents = await schema.describeTable('incidents');
    for (const column of ['reopened', 'announced_returns'])
      if (!incidents[column])
        await schema.addColumn('incidents', column, { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 });
    if (!incidents.cause_params) await schema.addColumn('incidents', 'cause_params', { type: DataTypes.TEXT });
  },
};
