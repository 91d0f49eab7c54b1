import { AsyncLocalStorage } from 'node:async_hooks';
import { QueryTypes, type Sequelize, type Transaction } from 'sequelize';
import { clockAheadMs } from '../../lib/clock.ts';
import { KeyedLock } from '../../lib/concurrency/keyed-lock.ts';
import { AppError, messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { retryDeadlocks } from './conflicts.ts';
import { fenceWrites, type WriteLease } from './fence.ts';
import { openMysql, openSqlite } from './open.ts';
import { prepareSchema, schemaName } from './schema.ts';
import type { TableDefinition } from './table.ts';
import { storeFailure } from './translate-error.ts';

/** Facts about the store, for users. */
interface StoreFacts {
  dialect: 'sqlite' | 'mysql';
  /** The version of SQLite, or of the MySQL or MariaDB server. */
  version: string;
  /** Size of its tables and indexes. */
  bytes: number;
  schema: string;
}

const queries = {
  sqlite:
    'SELECT sqlite_version() AS version, page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  mysql:
    'SELECT VERSION() AS version, COALESCE(SUM(data_length + index_length), 0) AS bytes FROM information_schema.tables WHERE table_schema = DATABASE()',
};

async function storeFacts(sequelize: Sequelize): Promise<Omit<StoreFacts, 'schema'>> {
  const dialect = sequelize.getDialect() === 'sqlite' ? 'sqlite' : 'mysql';
  const [row] = await sequelize.query<{ version: string; bytes: number | string }>(queries[dialect], {
    type: QueryTypes.SELECT,
  });
  return {
    dialect,
    version: row?.version ?? '',
    bytes: Number(row?.bytes ?? 0),
  };
}

export type { Transaction };

/** The manager's own database. */
export interface Store {
  readonly sequelize: Sequelize;
  /**
   * Runs `work` in one transaction, atomically. SQLite: one at a time, with the write lock from its start. MySQL and MariaDB:
   * repeated after a deadlock, so `work` must change only the database, and every query in it must use the transaction. It
   * can't be nested.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /**
   * Reads rows by plain SQL, unparsed (see `parseRow`): for joins, and for queries that each request makes, as Sequelize takes
   * longer to write them than the database to answer. `:name` is a value of `values`; an array is a list for IN.
   */
  select<Row extends object>(
    sql: string,
    values: Readonly<Record<string, unknown>>,
    transaction?: Transaction | undefined,
  ): Promise<Row[]>;
  /** Holds a named lock until the transaction ends; other transactions wait for it. */
  lock(name: string, transaction: Transaction): Promise<void>;
  /** Whether it answers, and whether its disk was full in the last two minutes. @throws AppError database_unavailable */
  ping(): Promise<'up' | 'full'>;
  facts(): Promise<StoreFacts>;
  /** How far the server's clock is ahead of this host's, in ms; undefined: SQLite has none. */
  clockAheadMs(): Promise<number | undefined>;
  close(): Promise<void>;
}

/** Whether several managers can reach the store, of which one at a time may write. */
export const needsLease = (url: string): boolean => !url.startsWith('sqlite:');

/**
 * Opens the store, and gives an empty one these tables.
 * @param url `sqlite:<path>` or `mysql://user:password@host:port/name` (MySQL, MariaDB)
 * @param lease what its writes depend on, where several managers can reach it
 * @throws an Error that says what is wrong with the address or the database
 */
export async function openStore(
  url: string,
  tables: readonly TableDefinition[],
  logger: Logger,
  lease?: WriteLease,
): Promise<Store> {
  const sequelize = await open(url);
  if (lease) fenceWrites(sequelize, lease);
  const wasFull = watchRoom(sequelize);
  try {
    await prepareSchema(sequelize, tables, logger);
  } catch (error) {
    await sequelize.close();
    throw error;
  }
  const isSqlite = sequelize.getDialect() === 'sqlite';
  const surrounding = new AsyncLocalStorage<{ open: boolean }>();
  const queue = new KeyedLock();
  /** For MySQL, Sequelize omits the milliseconds of a Date in plain SQL. */
  const literal = (value: unknown): unknown =>
    value instanceof Date
      ? value
          .toISOString()
          .replace('T', ' ')
          .replace('Z', isSqlite ? ' +00:00' : '')
      : value;

  return {
    sequelize,
    transaction(work) {
      // A second one would wait for the first, which waits for it.
      if (surrounding.getStore()?.open)
        throw new Error('A transaction was started inside another: pass the first one on');
      const run = async () => {
        const here = { open: true };
        try {
          return await surrounding.run(here, () => sequelize.transaction(work));
        } finally {
          // Work started in it that outlives it may start its own.
          here.open = false;
        }
      };
      return isSqlite ? queue.run('write', run) : retryDeadlocks(run);
    },
    select<Row extends object>(sql: string, values: Readonly<Record<string, unknown>>, transaction?: Transaction) {
      const within = transaction ? { transaction } : {};
      const replacements = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, literal(value)]));
      return sequelize.query<Row>(sql, { replacements, ...within, type: QueryTypes.SELECT });
    },
    async lock(name, transaction) {
      // SQLite's only writer holds every lock.
      if (isSqlite) return;
      await sequelize.query('INSERT INTO locks (name) VALUES (?) ON DUPLICATE KEY UPDATE name = VALUES(name)', {
        replacements: [name],
        transaction,
      });
    },
    async ping() {
      try {
        await sequelize.query('SELECT 1');
      } catch (error) {
        throw new AppError('database_unavailable', `The manager's database does not answer: ${messageOf(error)}`);
      }
      return wasFull() ? 'full' : 'up';
    },
    facts: async () => ({ ...(await storeFacts(sequelize)), schema: schemaName(tables) }),
    async clockAheadMs() {
      if (isSqlite) return undefined;
      const before = Date.now();
      // As text: a DATETIME has no zone.
      const [row] = await sequelize.query<{ now: string }>('SELECT CAST(UTC_TIMESTAMP(6) AS CHAR) AS now', {
        type: QueryTypes.SELECT,
      });
      return row && clockAheadMs(Date.parse(`${row.now.replace(' ', 'T')}Z`), before, Date.now());
    },
    close: () => sequelize.close(),
  };
}

const fullMs = 2 * 60_000;

/**
 * Only a write that fails shows that the server's disk is full, and those into tables with free pages still succeed.
 * @returns whether a write has failed so in the last two minutes; the manager writes all the time
 */
function watchRoom(sequelize: Sequelize): () => boolean {
  const query = sequelize.query.bind(sequelize) as (...sent: unknown[]) => Promise<unknown>;
  let failedAt = Number.NEGATIVE_INFINITY;
  const watched = async (...sent: unknown[]): Promise<unknown> =>
    query(...sent).catch((error: unknown) => {
      if (storeFailure(error)?.code === 'insufficient_storage') failedAt = performance.now();
      throw error;
    });
  sequelize.query = watched as Sequelize['query'];
  return () => performance.now() - failedAt < fullMs;
}

async function open(url: string): Promise<Sequelize> {
  if (url.startsWith('sqlite:') && url.length > 'sqlite:'.length) return openSqlite(url.slice('sqlite:'.length));
  if (/^(mysql|mariadb):\/\//.test(url)) return openMysql(url);
  // The address itself may contain a password.
  throw new Error('The database address must be sqlite:<path> or mysql://user:password@host:port/name');
}
