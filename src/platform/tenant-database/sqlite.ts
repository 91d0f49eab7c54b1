import { access, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { messageOf } from '../../kernel/errors.ts';
import { poll } from '../../kernel/poll.ts';
import {
  type DatabaseCheck,
  type DatabaseOwner,
  type TenantDatabase,
  toMebibytes,
  unhealthy,
} from './tenant-database.ts';

interface SqliteOptions {
  /** Whether the units' data directory is on the manager's own disk; if not, only the application can look into it. */
  local: boolean;
}

const companions = ['', '-wal', '-shm', '-journal'];

/** A SQLite file in the tenant's own directory. */
export function createSqliteDatabase({ local }: SqliteOptions): TenantDatabase {
  const pathOf = (owner: DatabaseOwner): string => join(owner.dataDirectory, 'tenant.db');
  return {
    engine: 'sqlite',
    url: (owner) => `sqlite:${pathOf(owner)}`,
    async ensure(owner, { signal }) {
      signal.throwIfAborted();
      if (!local) return { created: false };
      const created = (await sizeOf(pathOf(owner))) === undefined;
      await mkdir(owner.dataDirectory, { recursive: true, mode: 0o700 });
      return { created };
    },
    async check(owner, { timeoutMs }) {
      if (!local) return { status: 'healthy', size_mb: null, connections: null, unseen: true };
      return checkFile(pathOf(owner), timeoutMs);
    },
    async remove(owner, { data }) {
      if (!local || !data) return;
      for (const suffix of companions) await rm(`${pathOf(owner)}${suffix}`, { force: true });
    },
  };
}

/** The driver answers at once or not at all; a lock held for a moment by a writer is waited for between two looks. */
async function checkFile(path: string, timeoutMs: number): Promise<DatabaseCheck> {
  try {
    await access(path);
    const read = await poll(async () => (canRead(path) ? true : undefined), { timeoutMs, intervalMs: 50 });
    if (!read) return unhealthy(`the database file was locked for ${timeoutMs} ms`);
    const sizes = await Promise.all([path, `${path}-wal`].map(sizeOf));
    const bytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
    return { status: 'healthy', size_mb: toMebibytes(bytes), connections: null };
  } catch (error) {
    return unhealthy(
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no database file' : messageOf(error),
    );
  }
}

/** False while another process holds the file locked. @throws an Error where the file is no database */
function canRead(path: string): boolean {
  try {
    const database = new BetterSqlite(path, { readonly: true, fileMustExist: true, timeout: 0 });
    try {
      database.prepare('SELECT count(*) FROM sqlite_master').get();
      return true;
    } finally {
      database.close();
    }
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) return false;
    throw error;
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return found?.size;
}
