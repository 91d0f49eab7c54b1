import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';
import { poll } from '../../../lib/concurrency/poll.ts';
import { withTimeout } from '../../../lib/concurrency/timeout.ts';
import { messageOf } from '../../../lib/errors.ts';
import { createWriteStream, mkdir, rm } from '../../../lib/files/changes.ts';
import {
  type DatabaseCheck,
  type DatabaseOwner,
  type DatabaseSchema,
  type DumpWork,
  RefusedContent,
  type RowCounts,
  type TenantDatabase,
  toMebibytes,
  unhealthy,
} from '../tenant-database.ts';
import { companions, type DataFiles, localLocation, remoteLocation, type SqliteLocation } from './location.ts';

interface Inspection {
  counts: RowCounts;
  schema: DatabaseSchema;
}

/**
 * Reads a SQLite file in a worker thread.
 * @param options.integrity the file is our copy: recover it, and check all of it
 * @throws RefusedContent when it is no database or damaged; Error when that is unknown; the signal's reason
 */
async function inspectSqlite(path: string, options: { integrity: boolean; signal: AbortSignal }): Promise<Inspection> {
  options.signal.throwIfAborted();
  const worker = new Worker(new URL('./inspect-worker.ts', import.meta.url), {
    workerData: { path, integrity: options.integrity },
  });
  const answer = Promise.withResolvers<Inspection & { problems: string[] }>();
  const abort = (): void => answer.reject(options.signal.reason);
  options.signal.addEventListener('abort', abort, { once: true });
  worker.once('message', answer.resolve);
  worker.once('error', (error) =>
    answer.reject(new Error(`The SQLite file could not be read: ${messageOf(error)}`, { cause: error })),
  );
  worker.once('exit', () => answer.reject(new Error('The SQLite file could not be read')));
  try {
    const { problems, ...inspection } = await answer.promise;
    if (problems.length > 0) throw new RefusedContent(`The SQLite file is damaged: ${problems.join('; ')}`);
    return inspection;
  } finally {
    options.signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}

const fileName = 'tenant.db';
/** A fixed name: only one operation works on a tenant at a time, and a killed manager's file is found again. */
const scratchName = '.tenantry-scratch.db';
/** SQLite's files in a tenant's data directory; the rest belongs to the application. */
export const sqliteFiles = [fileName, scratchName].flatMap((name) =>
  ['', ...companions, '.loading'].map((suffix) => `${name}${suffix}`),
);

/**
 * A SQLite file in the tenant's own directory.
 * @param options the units' data directory: on the manager's own disk, or only visible to containers
 */
export function createSqliteDatabase(options: { local: true } | { local: false; files: DataFiles }): TenantDatabase {
  const { local } = options;
  const place: SqliteLocation = options.local ? localLocation : remoteLocation(options.files);
  const pathOf = (owner: DatabaseOwner): string => join(owner.dataDirectory, fileName);

  /** A checked copy, at a path in the work's own directory. */
  async function copied(owner: DatabaseOwner, name: string, { directory, signal }: DumpWork) {
    const path = join(directory, `copy-${randomBytes(4).toString('hex')}.db`);
    await place.copy(owner, name, path, signal);
    return { path, ...(await inspectSqlite(path, { integrity: true, signal })) };
  }

  async function inspect(owner: DatabaseOwner, name: string, work: DumpWork) {
    const { path, counts, schema } = await copied(owner, name, work);
    await rm(path, { force: true });
    return { counts, schema };
  }

  async function load(
    owner: DatabaseOwner,
    name: string,
    content: AsyncIterable<Uint8Array>,
    { directory, signal }: DumpWork,
  ): Promise<void> {
    const path = join(directory, `load-${randomBytes(4).toString('hex')}.db`);
    try {
      await pipeline(content, createWriteStream(path, { mode: 0o600 }), { signal });
      // Only a valid file replaces the database.
      await inspectSqlite(path, { integrity: true, signal });
      await place.replace(owner, name, path, signal);
    } finally {
      await rm(path, { force: true });
    }
  }

  return {
    engine: 'sqlite',
    dumpFormat: 'sqlite',
    url: (owner) => `sqlite:${pathOf(owner)}`,

    dump(owner, work) {
      let counts: RowCounts | undefined;
      async function* content(): AsyncGenerator<Uint8Array> {
        const copy = await copied(owner, fileName, work);
        try {
          yield* createReadStream(copy.path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>;
        } finally {
          await rm(copy.path, { force: true });
        }
        counts = copy.counts;
      }
      return {
        content: content(),
        rowCounts() {
          if (!counts) throw new Error('The dump has not been read to its end');
          return counts;
        },
      };
    },
    load: (owner, content, work) => load(owner, fileName, content, work),
    rowCounts: async (owner, work) => (await inspect(owner, fileName, work)).counts,
    async scratch(owner) {
      const name = scratchName;
      await place.remove(owner, name);
      return {
        url: `sqlite:${join(owner.dataDirectory, name)}`,
        load: (content, work) => load(owner, name, content, work),
        rowCounts: async (work) => (await inspect(owner, name, work)).counts,
        schema: async (work) => (await inspect(owner, name, work)).schema,
        drop: () => place.remove(owner, name),
      };
    },
    dropScratchDatabases: (owner) => place.remove(owner, scratchName),

    async ensure(owner, { signal }) {
      signal.throwIfAborted();
      if (!local) return { created: false };
      const created = (await sizeOf(pathOf(owner))) === undefined;
      await mkdir(owner.dataDirectory, { recursive: true, mode: 0o700 });
      return { created };
    },
    async check(owner, { timeoutMs }) {
      if (!options.local) {
        const bytes = await sizeWithin(timeoutMs, options.files, owner);
        return {
          status: 'healthy',
          size_mb: bytes === undefined ? null : toMebibytes(bytes),
          connections: null,
          unseen: true,
        };
      }
      return checkFile(pathOf(owner), timeoutMs);
    },
    async remove(owner, { data }) {
      if (!local || !data) return;
      for (const name of sqliteFiles) await rm(join(owner.dataDirectory, name), { force: true });
    },
  };
}

/** The size when only containers see the file; undefined if it is not available in time, which is not the database's fault. */
function sizeWithin(timeoutMs: number, files: DataFiles, { tenant }: DatabaseOwner): Promise<number | undefined> {
  return withTimeout(() => files.size(tenant, [fileName, `${fileName}-wal`]), { timeoutMs }).catch(() => undefined);
}

/** The driver answers at once or not at all; a short lock of a writer is polled. */
async function checkFile(path: string, timeoutMs: number): Promise<DatabaseCheck> {
  try {
    await access(path);
    const read = await poll(async () => (canRead(path) ? true : undefined), { timeoutMs, intervalMs: 50 });
    if (!read) return unhealthy(`the database file was locked for ${timeoutMs} ms`, 'locked');
    const sizes = await Promise.all([path, `${path}-wal`].map(sizeOf));
    const bytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
    return { status: 'healthy', size_mb: toMebibytes(bytes), connections: null };
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    if (code === 'ENOENT') return unhealthy('there is no database file', 'missing');
    const damaged = code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT');
    return unhealthy(messageOf(error), damaged ? 'damaged' : 'other');
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
