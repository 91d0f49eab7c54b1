import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { extensionOf, type Picture, type PictureFormat, pictureFormats } from '../../../adapters/images/image.ts';
import { AppError } from '../../../lib/errors.ts';
import { removeCutOffWrites, writeFileAtomic } from '../../../lib/files/atomic-file.ts';
import { mkdir, rm } from '../../../lib/files/changes.ts';
import { isDiskFull } from '../../../lib/files/disk-full-error.ts';

/** Files of pictures: a directory an owner (a tenant, an analysis), each file named by the SHA-256 of its content. */
export interface AssetFiles {
  /** Safely on the disk when it resolves; answers the file's name. @throws AppError insufficient_storage */
  put(owner: string, picture: Pick<Picture, 'content' | 'format'>): Promise<string>;
  /** undefined where there is no such file. */
  read(owner: string, file: string): Promise<Buffer | undefined>;
  /** Removes all of an owner's files but these, and what a write that was cut off left. */
  keepOnly(owner: string, files: ReadonlySet<string>): Promise<void>;
  /** Removes what writes of an earlier manager left of all owners. */
  removeCutOff(): Promise<void>;
  /** Ids of those that have files. */
  owners(): Promise<string[]>;
}

const form = /^[0-9a-f]{32}\.([a-z]+)$/;

/** The format of a file by its name; undefined for what is none of our names. */
export function formatOfFile(file: string): PictureFormat | undefined {
  const [, end = ''] = form.exec(file) ?? [];
  return pictureFormats.find((format) => extensionOf(format) === end);
}

export function createAssetFiles(directory: string): AssetFiles {
  const directoryOf = (owner: string): string => join(directory, owner);
  return {
    async put(owner, { content, format }) {
      const digest = createHash('sha256').update(content).digest('hex').slice(0, 32);
      const file = `${digest}.${extensionOf(format)}`;
      const path = join(directoryOf(owner), file);
      const there = await stat(path).catch(absent);
      if (there?.size === content.length) return file;
      await mkdir(directoryOf(owner), { recursive: true, mode: 0o700 });
      await writeFileAtomic(path, content).catch(explain);
      return file;
    },

    async read(owner, file) {
      return formatOfFile(file) ? readFile(join(directoryOf(owner), file)).catch(absent) : undefined;
    },

    async keepOnly(owner, files) {
      const place = directoryOf(owner);
      if (files.size === 0) return rm(place, { recursive: true, force: true });
      for (const name of await readdir(place).catch((): string[] => [])) {
        if (!files.has(name)) await rm(join(place, name), { force: true });
      }
    },

    removeCutOff: () => removeCutOffWrites(directory, { depth: 1 }),
    owners: () => readdir(directory).catch((): string[] => []),
  };
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function explain(error: NodeJS.ErrnoException): never {
  if (!isDiskFull(error)) throw error;
  throw new AppError('insufficient_storage', 'The disk is full. Free space and upload the logos again', {
    cause: error,
  });
}
