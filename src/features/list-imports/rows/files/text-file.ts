import { type FileHandle, open } from 'node:fs/promises';

const bufferedCharacters = 64 * 1024;

/** A file for text in many small parts, written in blocks. */
export class TextFile implements AsyncDisposable {
  readonly #file: FileHandle;
  #buffered = '';

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @param flags 'w' truncates, 'a' appends */
  static async open(path: string, flags: 'w' | 'a'): Promise<TextFile> {
    return new TextFile(await open(path, flags, 0o600));
  }

  /** Adds to the buffer. Returns whether the caller should await `flush` now. */
  add(text: string): boolean {
    this.#buffered += text;
    return this.#buffered.length > bufferedCharacters;
  }

  async flush(): Promise<void> {
    const text = this.#buffered;
    this.#buffered = '';
    if (text !== '') await this.#file.writeFile(text);
  }

  /** Bytes in the file, without what is not flushed. */
  async size(): Promise<number> {
    return (await this.#file.stat()).size;
  }

  /** Returns when all of it is on the disk. */
  async sync(): Promise<void> {
    await this.flush();
    await this.#file.sync();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}
