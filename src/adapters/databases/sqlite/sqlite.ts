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
import { createWriteStream, mkdir, rm, writeFile } from '../../../lib/files/changes.ts';
import {
  type DatabaseCheck,
  type DatabaseContents,
  type DatabaseOwner,
  type DatabaseSchema,
  type DumpWork,
  otherSlot,
  RefusedContent,
  type TenantDatabase,
  toMebibytes,
  unhealthy,
} from '../tenant-database.ts';
import { companions, type DataFiles, localLocation, remoteLocation, type SqliteLocation } from './location.ts';

interface Inspection {
  contents: DatabaseContents;
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

const fileNames = ['tenant.db', 'tenant-2.db'] as const;
const fileOf = ({ slot }: DatabaseOwner): string => fileNames[slot];
const spareOf = ({ slot }: DatabaseOwner): string => fileNames[otherSlot(slot)];
/** SQLite's files in a tenant's data directory; the rest belongs to the application. */
export const sqliteFiles = fileNames.flatMap((name) =>
  ['', ...companions, '.loading'].map((suffix) => `${name}${suffix}`),
);

/**
 * A SQLite file in the tenant's own directory.
 * @param options the units' data directory: on the manager's own disk, or only visible to containers
 */
export function createSqliteDatabase(options: { local: true } | { local: false; files: DataFiles }): TenantDatabase {
  const { local } = options;
  const place: SqliteLocation = options.local ? localLocation : remoteLocation(options.files);
  const pathOf = (owner: DatabaseOwner): string => join(owner.dataDirectory, fileOf(owner));

  /** A checked copy, at a path in the work's own directory. */
  async function copied(owner: DatabaseOwner, name: string, { directory, signal }: DumpWork) {
    const path = join(directory, `copy-${randomBytes(4).toString('hex')}.db`);
    await place.copy(owner, name, path, signal);
    return { path, ...(await inspectSqlite(path, { integrity: true, signal })) };
  }

  async function inspect(owner: DatabaseOwner, name: string, work: DumpWork) {
    const { path, contents, schema } = await copied(owner, name, work);
    await rm(path, { force: true });
    return { contents, schema };
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
      let contents: DatabaseContents | undefined;
      async function* content(): AsyncGenerator<Uint8Array> {
        const copy = await copied(owner, fileOf(owner), work);
        try {
          yield* createReadStream(copy.path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>;
        } finally {
          await rm(copy.path, { force: true });
        }
        contents = copy.contents;
      }
      return {
        content: content(),
        findings() {
          if (!contents) throw new Error('The dump has not been read to its end');
          return { contents, uncovered: [] };
        },
      };
    },
    load: (owner, content, work) => load(owner, fileOf(owner), content, work),
    contents: async (owner, work) => (await inspect(owner, fileOf(owner), work)).contents,
    async scratch(owner) {
      const name = spareOf(owner);
      await place.remove(owner, name);
      return {
        url: `sqlite:${join(owner.dataDirectory, name)}`,
        load: (content, work) => load(owner, name, content, work),
        contents: async (work) => (await inspect(owner, name, work)).contents,
        schema: async (work) => (await inspect(owner, name, work)).schema,
        drop: () => place.remove(owner, name),
      };
    },
    dropScratch: (owner) => place.remove(owner, spareOf(owner)),

    async ensure(owner, { signal }) {
      signal.throwIfAborted();
      if (!local) return { created: false };
      const created = (await sizeOf(pathOf(owner))) === undefined;
      await mkdir(owner.dataDirectory, { recursive: true, mode: 0o700 });
      // An empty file is an empty database: one that is missing later was lost.
      if (created) await writeFile(pathOf(owner), '', { mode: 0o600, flag: 'wx' });
      return { created };
    },
    async missingData(owner) {
      // Where only containers see the file, its directory is looked for.
      const isGone = local && (await sizeOf(pathOf(owner))) === undefined;
      return isGone ? `the file ${owner.tenant.slug}/data/${fileOf(owner)}` : undefined;
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
function sizeWithin(timeoutMs: number, files: DataFiles, owner: DatabaseOwner): Promise<number | undefined> {
  const names = [fileOf(owner), `${fileOf(owner)}-wal`];
  return withTimeout(() => files.size(owner.tenant, names), { timeoutMs }).catch(() => undefined);
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
