import BetterSqlite from 'better-sqlite3';

/** Pages copied at a time: a millisecond or two, then others have their turn. */
const slice = 256;
/** A file without a write-ahead log is begun anew at each write of another process; after so many it is copied at one go. */
const mostRestarts = 5;
const busyMs = 5_000;

/**
 * Copies a database that is in use to a file of its own, with SQLite's online backup: as it is at one moment, while others go on
 * reading and, with a write-ahead log, writing.
 * @throws the signal's reason; Error where the file can't be read
 */
export async function copyOnline(path: string, to: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const database = new BetterSqlite(path, { readonly: true, fileMustExist: true, timeout: busyMs });
  try {
    // A transaction held open keeps the picture still; without a write-ahead log it would keep writers out.
    if (database.pragma('journal_mode', { simple: true }) === 'wal') {
      database.exec('BEGIN');
      database.prepare('SELECT count(*) FROM sqlite_master').get();
    }
    let restarts = 0;
    let remaining = Number.POSITIVE_INFINITY;
    await database.backup(to, {
      progress({ remainingPages }) {
        signal.throwIfAborted();
        if (remainingPages > remaining) restarts += 1;
        remaining = remainingPages;
        return restarts > mostRestarts ? 0x7fffffff : slice;
      },
    });
  } finally {
    database.close();
  }
}
