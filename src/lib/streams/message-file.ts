import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { actingDeadline } from '../concurrency/acting-deadline.ts';
import { mkdir, open } from '../files/changes.ts';
import type { NumberedMessage } from './message.ts';
import { blockLimits, MessageBlock } from './message-block.ts';

/** Offset of a block in the file. */
interface Mark {
  first: number;
  offset: number;
}

const newline = 10;
const scanChunk = 256 * 1024;

/** A stream's durable copy: one JSON message per line, line n is message n; read in blocks through an index. */
export class MessageFile {
  readonly path: string;
  #marks: Mark[] = [{ first: 1, offset: 0 }];
  /** Messages and bytes completely written; anything after them is torn or being written. */
  #count = 0;
  #size = 0;
  #torn = false;
  #scanned: Promise<void> | undefined;
  #writer: FileHandle | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** The number of complete messages in the file; cuts off a last line torn by a crash. 0 without a file. */
  async recover(): Promise<number> {
    await this.#scan();
    await this.#cutTorn();
    return this.#count;
  }

  /**
   * Appends messages. When it fails, none of them counts as written.
   * @throws the file system's error; an Error when the first number does not follow the file's last
   */
  async append(messages: readonly NumberedMessage[]): Promise<void> {
    const [first] = messages;
    if (!first) return;
    await this.#scan();
    await this.#cutTorn();
    if (first.seq !== this.#count + 1) {
      throw new Error(`Message ${first.seq} does not follow the ${this.#count} in ${this.path}`);
    }
    const { bytes, marks } = this.#encode(messages);
    if (!this.#writer) {
      await mkdir(dirname(this.path), { recursive: true });
      this.#writer = await open(this.path, 'a', 0o600);
    }
    actingDeadline.check();
    this.#torn = true;
    await this.#writer.writeFile(bytes);
    this.#torn = false;
    this.#size += bytes.length;
    this.#count += messages.length;
    this.#marks.push(...marks);
  }

  /** The block with message `seq`, or undefined when it is not in the file. */
  async read(seq: number): Promise<MessageBlock | undefined> {
    await this.#scan();
    if (seq < 1 || seq > this.#count) return undefined;
    const at = this.#marks.findLastIndex((mark) => mark.first <= seq);
    const mark = this.#marks[at];
    if (!mark) return undefined;
    const end = this.#marks[at + 1]?.offset ?? this.#size;
    const bytes = await readRange(this.path, mark.offset, end);
    const block = new MessageBlock(mark.first);
    for (const json of bytes.toString('utf8').split('\n')) {
      if (json !== '') block.push({ seq: block.last + 1, json });
    }
    return block;
  }

  /** Syncs the file to disk and closes it; it can still be read. */
  async close(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    try {
      await writer?.datasync();
    } finally {
      await writer?.close();
    }
  }

  /** The lines to write, and the offsets of new blocks: one starts when the previous is full. */
  #encode(messages: readonly NumberedMessage[]): { bytes: Buffer; marks: Mark[] } {
    const marks: Mark[] = [];
    const pieces: Buffer[] = [];
    let mark = this.#marks.at(-1) ?? { first: 1, offset: 0 };
    let size = this.#size;
    let lines: string[] = [];
    let characters = size - mark.offset;
    const cut = (): void => {
      const piece = Buffer.from(`${lines.join('\n')}\n`);
      pieces.push(piece);
      size += piece.length;
      lines = [];
    };
    for (const { seq, json } of messages) {
      if (isFull(seq - mark.first, characters)) {
        if (lines.length > 0) cut();
        mark = { first: seq, offset: size };
        marks.push(mark);
        characters = 0;
      }
      lines.push(json);
      characters += json.length + 1;
    }
    cut();
    return { bytes: pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces), marks };
  }

  /** Counts existing messages, once. */
  #scan(): Promise<void> {
    this.#scanned ??= this.#scanNow();
    return this.#scanned;
  }

  async #scanNow(): Promise<void> {
    const file = await openIfThere(this.path);
    if (!file) return;
    try {
      const chunk = Buffer.allocUnsafe(scanChunk);
      let position = 0;
      for (;;) {
        const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
        if (bytesRead === 0) break;
        const part = chunk.subarray(0, bytesRead);
        for (let at = part.indexOf(newline); at !== -1; at = part.indexOf(newline, at + 1)) {
          this.#countLine(position + at + 1);
        }
        position += bytesRead;
      }
      this.#torn = position > this.#size;
    } finally {
      await file.close();
    }
  }

  #countLine(end: number): void {
    const mark = this.#marks.at(-1);
    if (mark && isFull(this.#count + 1 - mark.first, this.#size - mark.offset)) {
      this.#marks.push({ first: this.#count + 1, offset: this.#size });
    }
    this.#count += 1;
    this.#size = end;
  }

  async #cutTorn(): Promise<void> {
    if (!this.#torn) return;
    const file = await openIfThere(this.path, 'r+');
    try {
      await file?.truncate(this.#size);
      this.#torn = false;
    } finally {
      await file?.close();
    }
  }
}

function isFull(messages: number, characters: number): boolean {
  return messages >= blockLimits.messages || characters >= blockLimits.characters;
}

async function openIfThere(path: string, flags = 'r'): Promise<FileHandle | undefined> {
  try {
    return await open(path, flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function readRange(path: string, from: number, to: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(to - from);
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, from + filled);
      if (bytesRead === 0) throw new Error(`${path} is shorter than what was written to it`);
      filled += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
}
