import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-fs';
import { type Pack, pack } from 'tar-stream';
import { mkdir, rename, rm } from '../../../../lib/files/changes.ts';
import { missingDirectories, sizeOfFiles, type TenantData, type TenantSpace } from '../../tenant-data.ts';

/** A unit may write during the read: what a file has gained is dropped, what it has lost is filled with zeros. */
async function addFile(archive: Pack, path: string, header: { name: string; size: number; mode: number; mtime: Date }) {
  const done = Promise.withResolvers<void>();
  // If the writing fails first, this error is ignored.
  done.promise.catch(() => undefined);
  const entry = archive.entry({ ...header, type: 'file' }, (error) => (error ? done.reject(error) : done.resolve()));
  await pipeline(exactly(path, header.size), entry);
  await done.promise;
}

async function* exactly(path: string, size: number): AsyncGenerator<Uint8Array> {
  let left = size;
  if (size > 0) {
    const chunks = createReadStream(path, { end: size - 1 }) as AsyncIterable<Buffer>;
    for await (const chunk of chunks) {
      left -= chunk.length;
      yield chunk;
    }
  }
  for (; left > 0; left -= 64 * 1024) yield Buffer.alloc(Math.min(left, 64 * 1024));
}

async function addAll(
  archive: Pack,
  root: string,
  within: string,
  signal: AbortSignal,
  except: readonly string[] = [],
): Promise<void> {
  for (const name of await readdir(join(root, within))) {
    signal.throwIfAborted();
    if (!except.includes(name)) await addOne(archive, root, within === '' ? name : `${within}/${name}`, signal);
  }
}

async function addOne(archive: Pack, root: string, name: string, signal: AbortSignal): Promise<void> {
  const path = join(root, name);
  // It may have disappeared since it was listed.
  const found = await lstat(path).catch(() => undefined);
  if (!found) return;
  const header = { name, mode: found.mode & 0o777, mtime: found.mtime };
  if (found.isDirectory()) {
    archive.entry({ ...header, type: 'directory' });
    await addAll(archive, root, name, signal);
  } else if (found.isSymbolicLink()) {
    archive.entry({ ...header, type: 'symlink', linkname: await readlink(path) });
  } else if (found.isFile()) {
    await addFile(archive, path, { ...header, size: found.size });
  }
}

/** Data directories on the manager's own disk. @param directory of a tenant, absolute */
export function createDataFiles(directory: (tenant: TenantSpace) => string): TenantData {
  return {
    async *read(tenant, { only, except, signal }) {
      const root = directory(tenant);
      const archive = pack();
      const adding = (async () => {
        if (only) for (const name of only) await addOne(archive, root, name, signal);
        else if (await lstat(root).catch(() => undefined)) await addAll(archive, root, '', signal, except);
        archive.finalize();
      })();
      adding.catch((error) => archive.destroy(error));
      try {
        yield* archive as AsyncIterable<Uint8Array>;
        await adding;
      } finally {
        archive.destroy();
      }
    },
    size: (tenant, names) => sizeOfFiles(names.map((name) => join(directory(tenant), name))),
    missing: (tenants) => missingDirectories(tenants, directory),
    async remove(tenant, which, signal) {
      const root = directory(tenant);
      const names = await readdir(root).catch((): string[] => []);
      for (const name of names) {
        signal.throwIfAborted();
        const chosen = 'only' in which ? which.only.includes(name) : !which.except.includes(name);
        if (chosen) await rm(join(root, name), { recursive: true, force: true });
      }
    },
    async move(tenant, where, signal) {
      const top = directory(tenant);
      const [from, to] = 'into' in where ? [top, join(top, where.into)] : [join(top, where.from), top];
      const except = 'into' in where ? [where.into, ...where.except] : [];
      await mkdir(to, { recursive: true, mode: 0o700 });
      for (const name of await readdir(from).catch((): string[] => [])) {
        signal.throwIfAborted();
        if (!except.includes(name)) await rename(join(from, name), join(to, name));
      }
    },
    async write(tenant, content, signal, { into = '' } = { into: '' }) {
      const root = join(directory(tenant), into);
      await mkdir(root, { recursive: true, mode: 0o700 });
      // The unpacking refuses links that lead out of the directory.
      await pipeline(Readable.from(content), extract(root), { signal });
    },
  };
}
