import { EventEmitter } from 'node:events';
import BetterSqlite from 'better-sqlite3';
import { backoff, retry } from '../../lib/concurrency/retry.ts';

/**
 * better-sqlite3 with the interface of the `sqlite3` package that Sequelize's SQLite dialect uses. Sequelize opens a connection
 * per transaction and has no hook for it, so the PRAGMAs are set here. A busy database is awaited asynchronously: the driver's
 * own timeout would block the whole process.
 */
type Parameters = unknown[] | Record<string, unknown> | undefined;
type Callback = (this: { lastID: number; changes: number }, error: Error | null, rows?: unknown[]) => void;
interface Outcome {
  rows?: unknown[];
  lastID?: number;
  changes?: number;
}

const busyTimeoutMs = 10_000;
const maxDelayMs = 50;
/** Prepared statements cached per connection; SQLite prepares them again when the schema has changed. */
const maxCachedStatements = 200;
/** A longer text (many rows at once) rarely repeats. */
const maxCachedSqlCharacters = 10_000;

class Database extends EventEmitter {
  readonly filename: string;
  #db: BetterSqlite.Database | undefined;
  readonly #statements = new Map<string, BetterSqlite.Statement>();

  constructor(
    filename: string,
    mode: number | ((error: Error | null) => void),
    callback?: (error: Error | null) => void,
  ) {
    super();
    this.filename = filename;
    const done = typeof mode === 'function' ? mode : callback;
    let failure: Error | null = null;
    try {
      this.#db = new BetterSqlite(filename, { timeout: 0 });
      for (const pragma of ['journal_mode = WAL', 'synchronous = NORMAL', 'foreign_keys = ON', 'temp_store = MEMORY'])
        this.#db.pragma(pragma);
    } catch (error) {
      failure = error as Error;
    }
    queueMicrotask(() => done?.(failure));
  }

  /**
   * Runs `work` at once. Sequelize makes an Error at its start and reads the stack after every query, though it needs it only for
   * failed ones; formatting it took an eighth of the processor time of the API tests, so that Error gets no frames.
   */
  serialize(work?: () => void): this {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      work?.();
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
    return this;
  }

  parallelize(work?: () => void): this {
    work?.();
    return this;
  }

  run(sql: string, parameters: Parameters | Callback, callback?: Callback): this {
    return this.#perform(sql, parameters, callback);
  }

  all(sql: string, parameters: Parameters | Callback, callback?: Callback): this {
    return this.#perform(sql, parameters, callback);
  }

  exec(sql: string, callback?: Callback): this {
    this.#retryWhileBusy(() => {
      this.#open().exec(sql);
      return {};
    }, callback);
    return this;
  }

  close(callback?: (error: Error | null) => void): void {
    this.#db?.close();
    this.#db = undefined;
    this.#statements.clear();
    queueMicrotask(() => callback?.(null));
  }

  #open(): BetterSqlite.Database {
    if (!this.#db) throw new Error('The database connection is closed');
    return this.#db;
  }

  /** Sequelize requests the columns of a table before each of its queries, and most queries repeat literally. */
  #prepared(sql: string): BetterSqlite.Statement {
    const statement = this.#statements.get(sql) ?? this.#open().prepare(sql);
    this.#statements.delete(sql);
    if (sql.length > maxCachedSqlCharacters) return statement;
    // The last used one is last.
    this.#statements.set(sql, statement);
    const [oldest] = this.#statements.keys();
    if (this.#statements.size > maxCachedStatements && oldest !== undefined) this.#statements.delete(oldest);
    return statement;
  }

  #perform(sql: string, parameters: Parameters | Callback, callback?: Callback): this {
    const [bound, done] = typeof parameters === 'function' ? [undefined, parameters] : [parameters, callback];
    this.#retryWhileBusy(() => {
      const statement = this.#prepared(sql);
      const values = toBindings(bound);
      if (statement.reader) return { rows: statement.all(...values) };
      const result = statement.run(...values);
      return { rows: [], lastID: Number(result.lastInsertRowid), changes: result.changes };
    }, done);
    return this;
  }

  #retryWhileBusy(action: () => Outcome, callback: Callback | undefined): void {
    const run = (): Outcome => {
      try {
        return action();
      } catch (thrown) {
        throw inSqlite3Terms(thrown as Error & { code?: string });
      }
    };
    const isTransient = (error: unknown): boolean => (error as { code?: string }).code === 'SQLITE_BUSY';
    retry(run, { delaysMs: backoff(1, maxDelayMs, busyTimeoutMs), isTransient }).then(
      ({ lastID = 0, changes = 0, rows }) => callback?.call({ lastID, changes }, null, rows),
      (error: Error) => callback?.call({ lastID: 0, changes: 0 }, error),
    );
  }
}

/** better-sqlite3 reports the extended code (`SQLITE_CONSTRAINT_UNIQUE`), sqlite3 the primary one. */
function inSqlite3Terms(error: Error & { code?: string }): Error & { code?: string } {
  const primary = /^SQLITE_(BUSY|CONSTRAINT|LOCKED)/.exec(error.code ?? '')?.[0];
  if (primary) error.code = primary;
  return error;
}

function toBindings(parameters: Parameters): unknown[] {
  if (parameters === undefined || parameters === null) return [];
  if (Array.isArray(parameters)) return parameters.map(toValue);
  const named = Object.entries(parameters).map(([name, value]) => [name.replace(/^[$:@]/, ''), toValue(value)]);
  return named.length === 0 ? [] : [Object.fromEntries(named)];
}

function toValue(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value instanceof Date ? value.toISOString() : value;
}

/** The object Sequelize takes as `dialectModule`. */
export const sqliteDriver = {
  Database,
  OPEN_READONLY: 1,
  OPEN_READWRITE: 2,
  OPEN_CREATE: 4,
  OPEN_FULLMUTEX: 0x10000,
  verbose() {
    return this;
  },
};
