import { QueryTypes, type Sequelize } from 'sequelize';
import { migrations } from './migrations/index.ts';

/** What the store is, for people to look at. */
export interface StoreFacts {
  dialect: 'sqlite' | 'mysql';
  /** Of SQLite, or of the MySQL or MariaDB server. */
  version: string;
  /** What its tables and indexes take. */
  bytes: number;
  /** The last migration: the schema is brought up to date before the store is used. */
  schema: string;
}

const queries = {
  sqlite:
    'SELECT sqlite_version() AS version, page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  mysql:
    'SELECT VERSION() AS version, COALESCE(SUM(data_length + index_length), 0) AS bytes FROM information_schema.tables WHERE table_schema = DATABASE()',
};

export async function storeFacts(sequelize: Sequelize): Promise<StoreFacts> {
  const dialect = sequelize.getDialect() === 'sqlite' ? 'sqlite' : 'mysql';
  const [row] = await sequelize.query<{ version: string; bytes: number | string }>(queries[dialect], {
    type: QueryTypes.SELECT,
  });
  return {
    dialect,
    version: row?.version ?? '',
    bytes: Number(row?.bytes ?? 0),
    schema: migrations.at(-1)?.name ?? '',
  };
}
