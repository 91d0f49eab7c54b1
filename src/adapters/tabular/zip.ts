import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { AppError, messageOf } from '../../lib/errors.ts';
import { limits, refused } from './limits.ts';

/** The parts of a workbook that is a ZIP archive. */
export class ZipParts {
  readonly #zip: ZipFile;
  /** By name in lower case, as references to parts vary in case. */
  readonly #entries: Map<string, Entry>;

  private constructor(zip: ZipFile, entries: Map<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  /** @throws AppError unsupported_file for an archive that is broken, encrypted or has too many parts */
  static async open(path: string): Promise<ZipParts> {
    const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== undefined) throw error;
      throw broken(error);
    });
    try {
      if (zip.entryCount > limits.zipEntries)
        throw refused(`The workbook has ${zip.entryCount} parts, which none needs`);
      const entries = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) {
        if (entry.isEncrypted()) throw refused('The workbook is protected by a password: save it without one');
        entries.set(entry.fileName.toLowerCase(), entry);
      }
      return new ZipParts(zip, entries);
    } catch (error) {
      zip.close();
      throw broken(error);
    }
  }

  close(): void {
    this.#zip.close();
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase());
  }

  /**
   * A part's bytes, unpacked as they are read. Its declared size is not trusted: the bytes are counted.
   * @param limit of its unpacked size, in bytes
   */
  async *read(name: string, limit: number): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name.toLowerCase());
    if (!entry) throw refused(`The workbook is incomplete: it has no ${name}`);
    if (entry.uncompressedSize > limit) throw tooLarge(name, limit);
    let stream: Readable | undefined;
    let bytes = 0;
    try {
      stream = await this.#zip.openReadStreamPromise(entry);
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > limit) throw tooLarge(name, limit);
        yield chunk;
      }
    } catch (error) {
      throw broken(error);
    } finally {
      stream?.destroy();
    }
  }
}

function tooLarge(name: string, limit: number): Error {
  const megabytes = Math.round(limit / 1024 ** 2);
  return refused(`The workbook's ${name} is larger than ${megabytes} MB unpacked: save the list as CSV, or in parts`);
}

function broken(error: unknown): unknown {
  // Our own errors stay; any other error is the archive's fault, except a missing file.
  if (error instanceof AppError) return error;
  return refused(`The workbook is damaged: ${messageOf(error)}`, error);
}
