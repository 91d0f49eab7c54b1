import { DataTypes, type QueryInterface } from 'sequelize';
import { instant } from '../columns.ts';
import { buildTables, type Migration } from './build.ts';

const columns = {
  /** When a user asked to cancel it; a separate column, as the operation writes the rest of the row. */
  cancel_requested_at: instant,
  /** The release's key from the state, so that releases in use are found without reading states. */
  release_key: DataTypes.STRING(255),
};

export const deploymentsCancelAndRelease: Migration = {
  name: '0002-deployments-cancel-and-release',
  async up(schema) {
    const present = await schema.describeTable('deployments');
    for (const [name, type] of Object.entries(columns))
      if (!(name in present)) await schema.addColumn('deployments', name, { type, allowNull: true });
    await fillReleaseKeys(schema);
    await buildTables(schema, {}, [['deployments', ['status', 'tenant_id', 'release_key', 'created_at']]]);
  },
};

async function fillReleaseKeys({ sequelize }: QueryInterface): Promise<void> {
  const key = "JSON_EXTRACT(state, '$.release.key')";
  const text = sequelize.getDialect() === 'sqlite' ? key : `JSON_UNQUOTE(${key})`;
  await sequelize.query(`UPDATE deployments SET release_key = ${text} WHERE release_key IS NULL`);
}
