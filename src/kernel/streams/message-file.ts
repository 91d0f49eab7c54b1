import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';

/** One message of a stream with its number (from 1, without gaps) and its JSON, encoded once for all viewers. */
export interface NumberedMessage {
  seq: number;
  json: string;
}

/** A stream's durable copy: one JSON message a line, line n is message n. */
export class MessageFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** How many whole messages are in the file; a last line torn by a crash is cut off. 0 where there is no file. */
  async recover(): Promise<number> {
    const content = await readFile(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    });
    const end = content.lastIndexOf(10) + 1;
    if (end < content.length) await truncate(this.path, end);
    let lines = 0;
    for (let at = content.indexOf(10); at !== -1; at = content.indexOf(10, at + 1)) lines += 1;
    return lines;
  }

  async append(messages: readonly NumberedMessage[]): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true });
    const file = await open(this.path, 'a', 0o600);
    try {
      await file.writeFile(`${messages.map((message) => message.json).join('\n')}\n`);
    } finally {
      await file.close();
    }
  }

  /** The messages after `since` that are in the file now. */
  async *read(since: number): AsyncGenerator<NumberedMessage> {
    const lines = createInterface({ input: createReadStream(this.path, { encoding: 'utf8' }), crlfDelay: Infinity });
    let seq = 0;
    try {
      for await (const json of lines) {
        seq += 1;
        if (seq > since) yield { seq, json };
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
