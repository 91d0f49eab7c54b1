import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Sequelize, type Transaction } from 'sequelize';
import { AppError, messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import { migrate } from './migrate.ts';
import { sqliteDriver } from './sqlite-driver.ts';

export type { Transaction };

/** The manager's own database. */
export interface Store {
  readonly sequelize: Sequelize;
  /** Runs `work` in one transaction that holds the write lock from its start (SQLite: BEGIN IMMEDIATE). */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** @throws AppError database_unavailable */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the store and brings its schema up to date.
 * @param url `sqlite:<path>` or `mysql://user:password@host:port/name` (MySQL, MariaDB)
 */
export async function openStore(url: string, logger: Logger): Promise<Store> {
  const sequelize = url.startsWith('sqlite:') ? await openSqlite(url.slice('sqlite:'.length)) : openMysql(url);
  await migrate(sequelize, logger);
  return {
    sequelize,
    transaction: (work) => sequelize.transaction(work),
    async ping() {
      try {
        await sequelize.query('SELECT 1');
      } catch (error) {
        throw new AppError('database_unavailable', `The manager's database does not answer: ${messageOf(error)}`);
      }
    },
    close: () => sequelize.close(),
  };
}

const common = { logging: false, define: { underscored: true, timestamps: false } } as const;

async function openSqlite(path: string): Promise<Sequelize> {
  await mkdir(dirname(path), { recursive: true });
  return new Sequelize({
    ...common,
    dialect: 'sqlite',
    storage: path,
    dialectModule: sqliteDriver,
    transactionType: 'IMMEDIATE' as Transaction.TYPES,
    pool: { max: 1 },
    retry: { max: 1 },
  });
}

function openMysql(url: string): Sequelize {
  return new Sequelize(url, {
    ...common,
    dialect: 'mysql',
    timezone: '+00:00',
    dialectOptions: { charset: 'utf8mb4', connectTimeout: 10_000 },
    // Serializable would lock too much; what must not race takes its locks by SELECT … FOR UPDATE.
    isolationLevel: 'READ COMMITTED' as Transaction.ISOLATION_LEVELS,
    pool: { max: 10, acquire: 15_000 },
  });
}
