import type { Sequelize } from 'sequelize';
import { SequelizeStorage, Umzug } from 'umzug';
import type { Logger } from '../../lib/logger.ts';
import { migrations } from './migrations/index.ts';

/** Runs the schema migrations that the database has not seen, in order; each is recorded when it is done. */
export async function migrate(sequelize: Sequelize, logger: Logger): Promise<void> {
  const umzug = new Umzug({
    migrations: migrations.map(({ name, up }) => ({ name, up: () => up(sequelize.getQueryInterface()) })),
    storage: new SequelizeStorage({ sequelize, tableName: 'schema_migrations' }),
    logger: undefined,
  });
  for (const { name } of await umzug.up()) logger.info({ migration: name }, 'schema migrated');
}
