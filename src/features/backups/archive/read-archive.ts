import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { dumpTrailer } from '../../../adapters/databases/mariadb/client.ts';
import { messageOf } from '../../../lib/errors.ts';
import { type Manifest, manifest, type PartName, partNames } from './manifest.ts';
import { hashing } from './write-archive.ts';

const chunkBytes = 64 * 1024;
const maxManifestBytes = 16 * 1024 ** 2;
const sqliteMagic = 'SQLite format 3\0';

/** A backup's file does not match the catalogue. */
export class DamagedBackup extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DamagedBackup';
  }
}

/** The catalogue's facts about a backup's file. */
export interface Expected {
  id: string;
  sizeBytes: number;
  sha256: string;
}

/**
 * Verifies a complete backup's file: its SHA-256 and size, the tar, the manifest, each part's SHA-256, each gzip, and the
 * dump's trailer.
 * @throws DamagedBackup with the problem; the signal's reason
 */
export async function verifyArchive(path: string, expected: Expected, signal: AbortSignal): Promise<Manifest> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new DamagedBackup('The backup’s file is missing');
  if (found.size !== expected.sizeBytes)
    throw new DamagedBackup(`The backup’s file has ${found.size} bytes instead of ${expected.sizeBytes}`);
  try {
    const { description, sha256 } = await readThrough(path, signal);
    if (sha256 !== expected.sha256) throw new DamagedBackup('The backup’s file is damaged: its SHA-256 does not match');
    if (description.id !== expected.id) throw new DamagedBackup('The file belongs to another backup');
    return description;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DamagedBackup) throw error;
    throw new DamagedBackup(`The backup’s file is damaged: ${messageOf(error)}`);
  }
}

async function readThrough(path: string, signal: AbortSignal): Promise<{ description: Manifest; sha256: string }> {
  const archive = extract({ highWaterMark: chunkBytes });
  const { stream, digest } = hashing();
  const reading = pipeline(createReadStream(path, { highWaterMark: chunkBytes }), stream, archive, { signal });
  reading.catch(() => undefined);
  let description: Manifest | undefined;
  const missing = new Set<string>();
  for await (const entry of archive) {
    if (!description) {
      description = await readManifest(entry);
      for (const { name } of description.parts) missing.add(name);
      continue;
    }
    const part = description.parts.find(({ name }) => name === entry.header.name);
    if (!part) throw new DamagedBackup(`The backup contains ${entry.header.name}, which its manifest does not list`);
    const hashed = hashing();
    await pipeline([entry as unknown as NodeJS.ReadableStream, hashed.stream, ...checksOf(part.name)], { signal });
    if (hashed.digest() !== part.sha256 || hashed.size() !== part.size)
      throw new DamagedBackup(`${part.name} in the backup is damaged`);
    missing.delete(part.name);
  }
  await reading;
  if (!description) throw new DamagedBackup('The backup’s file is empty');
  if (missing.size > 0) throw new DamagedBackup(`The backup lacks ${[...missing].join(', ')}`);
  return { description, sha256: digest() };
}

/** Streams that read a part to its end and check that it is complete. */
function checksOf(name: string): [NodeJS.ReadWriteStream, NodeJS.WritableStream] | [NodeJS.WritableStream] {
  switch (name) {
    case partNames.sql:
      return [createGunzip({ chunkSize: chunkBytes }), endsWith(dumpTrailer)];
    case partNames.sqlite:
      return [createGunzip({ chunkSize: chunkBytes }), beginsWith(sqliteMagic)];
    case partNames.files: {
      const inner = extract();
      inner.on('entry', (_header, content, next) => content.on('end', next).resume());
      return [createGunzip({ chunkSize: chunkBytes }), inner];
    }
    default:
      return [beginsWith('')];
  }
}

function endsWith(trailer: string): Writable {
  let tail = '';
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - 200))).slice(-200);
      done();
    },
    final(done) {
      done(tail.includes(trailer) ? null : new DamagedBackup('The database dump is incomplete'));
    },
  });
}

function beginsWith(magic: string): Writable {
  let head = '';
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (head.length < magic.length) head = (head + chunk.toString('latin1', 0, magic.length)).slice(0, magic.length);
      done();
    },
    final(done) {
      done(head === magic ? null : new DamagedBackup('The database part is not a SQLite file'));
    },
  });
}

interface Entry extends AsyncIterable<unknown> {
  header: { name: string; size?: number | undefined };
}

async function readManifest(entry: Entry): Promise<Manifest> {
  if (entry.header.name !== 'manifest.json' || (entry.header.size ?? 0) > maxManifestBytes)
    throw new DamagedBackup('The file is not a backup: it does not start with a manifest');
  const chunks: Buffer[] = [];
  for await (const chunk of entry) chunks.push(chunk as Buffer);
  return manifest.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
}

/** The manifest alone. @throws DamagedBackup; Error if the file can't be read */
export async function manifestOf(path: string, signal: AbortSignal): Promise<Manifest> {
  const archive = extract({ highWaterMark: chunkBytes });
  const reading = pipeline(createReadStream(path, { highWaterMark: chunkBytes }), archive, { signal });
  reading.catch(() => undefined);
  for await (const entry of archive) return readManifest(entry);
  throw new DamagedBackup('The backup’s file is empty');
}

/** The content of a compressed part. @throws Error if the part is missing or incomplete */
export async function* readPart(path: string, name: PartName, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const archive = extract({ highWaterMark: chunkBytes });
  const reading = pipeline(createReadStream(path, { highWaterMark: chunkBytes }), archive, { signal });
  reading.catch(() => undefined);
  for await (const entry of archive) {
    if (entry.header.name !== name) {
      entry.resume();
      continue;
    }
    const gunzip = createGunzip({ chunkSize: chunkBytes });
    const unpacking = pipeline(entry, gunzip, { signal });
    unpacking.catch(() => undefined);
    yield* gunzip as AsyncIterable<Buffer>;
    await unpacking;
    return;
  }
  throw new DamagedBackup(`The backup does not contain ${name}`);
}
