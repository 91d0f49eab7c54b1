import BetterSqlite from 'better-sqlite3';
import { chmod, open } from './changes.ts';

export interface FileLock {
  release(): Promise<void>;
}

/**
 * Holds a file for this process alone until released or until the process ends. SQLite's lock (an exclusive transaction on an
 * empty database) goes with the process, so a crash leaves no stale lock and no pid has to be checked.
 * @returns undefined when another process holds it
 */
export async function holdFileLock(path: string): Promise<FileLock | undefined> {
  await (await open(path, 'a', 0o600)).close();
  await chmod(path, 0o600);
  const database = new BetterSqlite(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
  return {
    async release() {
      database.close();
    },
  };
}
