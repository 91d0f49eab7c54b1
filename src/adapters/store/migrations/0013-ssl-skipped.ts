import { DataTypes } from 'sequelize';
import type { Migration } from './build.ts';

/** Adds whether a tenant's last deployment asked for no certificate. */
export const sslSkipped: Migration = {
  name: '0013-ssl-skipped',
  async up(schema) {
    const columns = await schema.describeTable('proxy_sites');
    if (!columns.ssl_skipped)
      await schema.addColumn('proxy_sites', 'ssl_skipped', {
        type: DataTypes.BOOLEAN,
        allowNull: false,
        defaultValue: false,
      });
    // A site without a recorded authority never went through Setup SSL.
    await schema.bulkUpdate('proxy_sites', { ssl_skipped: true }, { certificate_authority: null });
  },
};
