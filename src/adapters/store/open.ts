import { dirname } from 'node:path';
import { ConnectionError, Sequelize, type Transaction } from 'sequelize';
import { mkdir, open } from '../../lib/files/changes.ts';
import { sqliteDriver } from './sqlite-driver.ts';

const common = { logging: false, define: { underscored: true, timestamps: false } } as const;

/** A file that only the manager can read, created if it is missing; SQLite gives its write-ahead log the same permissions. */
export async function openSqlite(path: string): Promise<Sequelize> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await (await open(path, 'a', 0o600)).close();
  return new Sequelize({
    ...common,
    dialect: 'sqlite',
    storage: path,
    dialectModule: sqliteDriver,
    transactionType: 'IMMEDIATE' as Transaction.TYPES,
    // The driver waits for a busy database itself; Sequelize's own retries would double it.
    retry: { max: 1 },
  });
}

/** MySQL or MariaDB, strict: a value that does not fit is an error, never cut. */
export async function openMysql(url: string, maxConnections = 10): Promise<Sequelize> {
  const { watchedSocket } = await import('./silent-server.ts');
  const sequelize = new Sequelize(url.replace(/^mariadb:/, 'mysql:'), {
    ...common,
    dialect: 'mysql',
    timezone: '+00:00',
    // With watchedSocket's limits: a request is answered within 10 s also while the database hangs.
    dialectOptions: { charset: 'utf8mb4', connectTimeout: 6_000, stream: watchedSocket },
    // Serializable would lock too much; critical sections hold a named lock.
    isolationLevel: 'READ COMMITTED' as Transaction.ISOLATION_LEVELS,
    pool: { max: maxConnections, acquire: 7_000 },
  });
  sequelize.addHook('afterConnect', (connection) => execute(connection, "SET SESSION sql_mode = 'STRICT_ALL_TABLES'"));
  return sequelize;
}

interface MysqlConnection {
  query(sql: string, done: (error: Error | null) => void): void;
}

const execute = (connection: unknown, sql: string): Promise<void> =>
  new Promise((resolve, reject) => {
    (connection as MysqlConnection).query(sql, (error) => (error ? reject(new ConnectionError(error)) : resolve()));
  });
