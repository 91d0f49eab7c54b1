import { createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import BetterSqlite from 'better-sqlite3';
import { extract, pack } from 'tar-stream';
import { createWriteStream, mkdir, rename, rm } from '../../../lib/files/changes.ts';
import type { DatabaseOwner } from '../tenant-database.ts';

/** Pages copied at a time: a millisecond or two, then it yields. */
const slice = 256;
/**
 * Without a write-ahead log, each write of another process restarts the copy; after this many restarts it is copied in one
 * step.
 */
const maxRestarts = 5;
const busyMs = 5_000;

/**
 * Copies a database in use to a new file, with SQLite's online backup: a consistent snapshot, while others read and, with a
 * write-ahead log, write.
 * @throws the signal's reason; Error when the file can't be read
 */
async function copyOnline(path: string, to: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const database = new BetterSqlite(path, { readonly: true, fileMustExist: true, timeout: busyMs });
  try {
    // An open transaction keeps the snapshot stable; without a write-ahead log it would block writers.
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
        return restarts > maxRestarts ? 0x7fffffff : slice;
      },
    });
  } finally {
    database.close();
  }
}

/** SQLite's additional files of a database. */
export const companions = ['-wal', '-shm', '-journal'];

type TenantSpace = DatabaseOwner['tenant'];

/** A tenant's data directory that only containers see. Content is a tar with relative names. */
export interface DataFiles {
  size(tenant: TenantSpace, names: readonly string[]): Promise<number | undefined>;
  read(
    tenant: TenantSpace,
    options: { only: readonly string[]; still: boolean; signal: AbortSignal },
  ): AsyncIterable<Uint8Array>;
  remove(tenant: TenantSpace, which: { only: readonly string[] }, signal: AbortSignal): Promise<void>;
  write(tenant: TenantSpace, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
}

/** A database file in a tenant's data directory, wherever that is. */
export interface SqliteLocation {
  /** Copies a consistent snapshot to `to`, possibly with a journal. @throws Error when there is no database */
  copy(owner: DatabaseOwner, name: string, to: string, signal: AbortSignal): Promise<void>;
  /** Replaces the database with a file; it must not be in use. */
  replace(owner: DatabaseOwner, name: string, from: string, signal: AbortSignal): Promise<void>;
  remove(owner: DatabaseOwner, name: string): Promise<void>;
}

/** On the manager's own disk. */
export const localLocation: SqliteLocation = {
  async copy(owner, name, to, signal) {
    const path = join(owner.dataDirectory, name);
    await access(path).catch(() => {
      throw new Error('There is no database file');
    });
    await copyOnline(path, to, signal);
  },
  async replace(owner, name, from, signal) {
    await mkdir(owner.dataDirectory, { recursive: true, mode: 0o700 });
    const path = join(owner.dataDirectory, name);
    const aside = `${path}.loading`;
    await pipeline(createReadStream(from), createWriteStream(aside, { mode: 0o600, flush: true }), { signal });
    // The former file's journal would be applied to the new one.
    for (const suffix of companions) await rm(`${path}${suffix}`, { force: true });
    await rename(aside, path);
  },
  async remove(owner, name) {
    for (const suffix of ['', '.loading', ...companions])
      await rm(join(owner.dataDirectory, `${name}${suffix}`), { force: true });
  },
};

/** Only containers see it: copied while no unit runs, for a time proportional to its size. */
export function remoteLocation(files: DataFiles): SqliteLocation {
  return {
    async copy({ tenant }, name, to, signal) {
      const only = [name, `${name}-wal`, `${name}-journal`];
      const archive = extract();
      const reading = pipeline(Readable.from(files.read(tenant, { only, still: true, signal })), archive, { signal });
      // A failure there also ends the loop.
      reading.catch(() => undefined);
      let found = false;
      for await (const entry of archive) {
        const at = only.indexOf(basename(entry.header.name));
        if (at === 0) found = true;
        const suffix = at === -1 ? undefined : only[at]?.slice(name.length);
        if (suffix === undefined || entry.header.type !== 'file') entry.resume();
        else await pipeline(entry, createWriteStream(`${to}${suffix}`, { mode: 0o600 }));
      }
      await reading;
      if (!found) throw new Error('There is no database file');
    },
    async replace({ tenant }, name, from, signal) {
      await files.remove(tenant, { only: [name, ...companions.map((suffix) => `${name}${suffix}`)] }, signal);
      await files.write(tenant, oneFile(from, name), signal);
    },
    async remove({ tenant }, name) {
      const only = [name, ...companions.map((suffix) => `${name}${suffix}`)];
      await files.remove(tenant, { only }, AbortSignal.timeout(60_000));
    },
  };
}

async function* oneFile(path: string, name: string): AsyncGenerator<Uint8Array> {
  const { size } = await stat(path);
  const archive = pack();
  const header = { name, size, mode: 0o600, type: 'file' as const };
  const entry = archive.entry(header, (error) => (error ? archive.destroy(error) : archive.finalize()));
  const writing = pipeline(createReadStream(path), entry);
  writing.catch((error) => archive.destroy(error));
  yield* archive as AsyncIterable<Uint8Array>;
  await writing;
}
