import { withTimeout } from '../../../lib/concurrency/timeout.ts';
import type { DatabaseContents } from '../tenant-database.ts';
import { type Account, type Query, withConnection } from './connection.ts';
import { contentOf, quoted, type Survey } from './tables.ts';

/** Reading all rows of a large database is slow. */
export const longMs = 12 * 3_600_000;
/** How long writers may wait behind the lock for a transaction that began before it. */
const lockSeconds = 5;
/** How long a dump may take to begin while writers wait. */
const beginMs = 60_000;
/** ER_LOCK_WAIT_TIMEOUT */
const lockTimeout = 1205;

/** One moment of a database, which a dump that starts at the same time sees, too. */
export interface Snapshot {
  /** The dump has started: writers may go on. */
  started(): void;
  /** The dump has ended. @returns what the tables held; null: they could not be locked, or not long enough */
  end(): Promise<DatabaseContents | null>;
  /** The dump has failed. */
  abandon(): void;
}

/**
 * Locks all tables for writing until both this snapshot and a dump have started, and then reads the tables during the dump. Tables
 * without transactions stay locked until both have ended.
 * @throws what the connections throw; the signal's reason
 */
export async function openSnapshot(
  account: Account,
  { tables, history }: Survey,
  outer: AbortSignal,
): Promise<Snapshot> {
  const ending = new AbortController();
  const signal = AbortSignal.any([outer, ending.signal]);
  const dumpStarted = Promise.withResolvers<void>();
  const allEnded = Promise.withResolvers<void>();
  const readingStarted = Promise.withResolvers<void>();

  /** Resolves when the tables are locked; false: they could not be. The lock ends with its connection. */
  function lock(
    which: Survey['tables'],
    until: () => Promise<unknown>,
  ): Promise<{ locked: boolean; done: Promise<unknown> }> {
    const locked = Promise.withResolvers<boolean>();
    const done = withConnection(account, { timeoutMs: longMs, signal }, async (query) => {
      await query(`SET SESSION lock_wait_timeout = ${lockSeconds}`);
      if (which.length > 0) await query(`LOCK TABLES ${which.map(({ name }) => `${quoted(name)} READ`).join(', ')}`);
      locked.resolve(true);
      await until();
    });
    done.catch((error: { errno?: number }) =>
      error.errno === lockTimeout ? locked.resolve(false) : locked.reject(error),
    );
    return locked.promise.then((result) => ({ locked: result, done }));
  }

  const bothStarted = () =>
    withTimeout(() => Promise.all([dumpStarted.promise, readingStarted.promise]), { timeoutMs: beginMs, signal });
  const beginning = await lock(tables, bothStarted);
  const others = tables.filter(({ transactional }) => !transactional);
  const locked = beginning.locked && (others.length === 0 || (await lock(others, () => allEnded.promise)).locked);
  const reading = locked ? read() : Promise.resolve(null);
  reading.catch(() => undefined);

  function read(): Promise<DatabaseContents> {
    return withConnection(account, { timeoutMs: longMs, signal }, async (query) => {
      await query("SET SESSION time_zone = '+00:00'");
      await withoutTimeLimit(query);
      await query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
      readingStarted.resolve();
      const contents: DatabaseContents = {};
      for (const table of tables) contents[table.name] = await contentOf(query, table, history);
      return contents;
    });
  }

  return {
    started: dumpStarted.resolve,
    async end() {
      dumpStarted.resolve();
      try {
        const contents = await reading;
        // If the lock was lost before both had started, they may have seen different moments.
        return await beginning.done.then(
          () => contents,
          () => null,
        );
      } finally {
        allEnded.resolve();
      }
    },
    abandon: () => ending.abort(new Error('The dump has ended')),
  };
}

/** Servers may end long statements; MySQL does not know the variable. */
export const withoutTimeLimit = (query: Query): Promise<unknown> =>
  query('SET SESSION max_statement_time = 0').catch(() => undefined);
