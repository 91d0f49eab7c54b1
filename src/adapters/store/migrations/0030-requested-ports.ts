import { DataTypes } from 'sequelize';
import type { Migration } from './build.ts';

/** Adds whether a user chose a port; of those that are there it is not known, so they stay. */
export const requestedPorts: Migration = {
  name: '0030-requested-ports',
  async up(schema) {
    const columns = await schema.describeTable('port_allocations');
    if (!columns.requested)
      await schema.addColumn('port_allocations', 'requested', {
        type: DataTypes.BOOLEAN,
        allowNull: false,
        defaultValue: true,
      });
  },
};
