import { DataTypes } from 'sequelize';
import type { Migration } from './build.ts';

/** Adds which of a tenant's two databases is its own, data that is gone and not restored yet, and what a backup does not cover or has lost. */
export const databaseSlots: Migration = {
  name: '0032-database-slots',
  async up(schema) {
    const tenants = await schema.describeTable('tenants');
    if (!tenants.database_slot)
      await schema.addColumn('tenants', 'database_slot', {
        type: DataTypes.INTEGER,
        allowNull: false,
        defaultValue: 0,
      });
    if (!tenants.lost_data) await schema.addColumn('tenants', 'lost_data', { type: DataTypes.TEXT });
    const backups = await schema.describeTable('backups');
    for (const column of ['not_covered', 'loss'])
      if (!backups[column]) await schema.addColumn('backups', column, { type: DataTypes.TEXT });
  },
};
