import { once } from 'node:events';
import { messageOf } from '../errors.ts';
import type { MessageFile, NumberedMessage } from './message-file.ts';

/** A message as its producer gives it; the tail adds `seq`. */
export interface StreamMessage {
  type: string;
  [field: string]: unknown;
}

interface TailOptions {
  /** How many messages are kept in memory for viewers that join or lag. */
  ring?: number;
  /** With a file every message can be replayed from the first on; without one, only the ring's. */
  file?: MessageFile;
  /** The number of the last message already in the file. */
  lastSeq?: number;
  /** Told once when the file can't be written any more (a full disk): the stream goes on from memory. */
  onWriteError?: (message: string) => void;
}

const batchSize = 512;

/** Thrown to a viewer that the ring has overtaken: it is too slow and must be dropped, never waited for. */
export class ViewerLagged extends Error {
  constructor() {
    super('The viewer was too slow and lost messages');
    this.name = 'ViewerLagged';
  }
}

/**
 * One stream of numbered messages, many viewers. Appending costs the same however many watch: each viewer pulls batches
 * at its own pace, and what it has not pulled is held once, in the ring or the file, not once a viewer.
 */
export class Tail {
  readonly #ring: NumberedMessage[] = [];
  readonly #limit: number;
  readonly #file: MessageFile | undefined;
  readonly #onWriteError: (message: string) => void;
  readonly #news = new EventTarget();
  #lastSeq: number;
  #writtenSeq: number;
  #writing: Promise<void> | undefined;
  #fileBroken = false;
  #announced = false;
  #closed = false;

  constructor(options: TailOptions = {}) {
    this.#limit = options.ring ?? 2_000;
    this.#file = options.file;
    this.#lastSeq = options.lastSeq ?? 0;
    this.#writtenSeq = this.#lastSeq;
    this.#onWriteError = options.onWriteError ?? (() => undefined);
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Adds a message and answers its number. */
  append(message: StreamMessage): number {
    if (this.#closed) throw new Error('The stream has ended');
    const seq = this.#lastSeq + 1;
    this.#lastSeq = seq;
    this.#ring.push({ seq, json: JSON.stringify({ ...message, seq }) });
    this.#trim();
    this.#announce();
    return seq;
  }

  /** Ends the stream: viewers get what is left, then their end. */
  close(): void {
    this.#closed = true;
    this.#announce();
  }

  /** Resolves when all messages so far are in the file. */
  async flushed(): Promise<void> {
    const goal = this.#lastSeq;
    while (this.#file && !this.#fileBroken && this.#writtenSeq < goal) await this.#write();
  }

  /**
   * Batches of messages after `since`, first what was, then what comes, until the stream ends or the signal is aborted.
   * @throws ViewerLagged where messages the viewer has not seen are gone from the ring and there is no file
   */
  async *follow(since: number, signal: AbortSignal): AsyncGenerator<NumberedMessage[]> {
    let cursor = this.#file ? since : Math.max(since, this.#oldest() - 1);
    while (!signal.aborted) {
      if (cursor >= this.#lastSeq) {
        if (this.#closed) return;
        await once(this.#news, 'news', { signal }).catch(() => undefined);
        continue;
      }
      if (cursor + 1 >= this.#oldest()) {
        const start = cursor + 1 - this.#oldest();
        const batch = this.#ring.slice(start, start + batchSize);
        cursor = batch.at(-1)?.seq ?? cursor;
        yield batch;
        continue;
      }
      if (!this.#file) throw new ViewerLagged();
      const before = cursor;
      for await (const batch of batches(this.#file.read(cursor), batchSize)) {
        if (signal.aborted) return;
        cursor = batch.at(-1)?.seq ?? cursor;
        yield batch;
      }
      if (cursor === before) throw new ViewerLagged();
    }
  }

  #oldest(): number {
    return this.#ring[0]?.seq ?? this.#lastSeq + 1;
  }

  /** What is not in the file yet is never dropped from the ring. */
  #trim(): void {
    if (this.#ring.length < this.#limit * 2) return;
    const oldestNeeded = this.#lastSeq - this.#limit + 1;
    const keepFrom = this.#file && !this.#fileBroken ? Math.min(oldestNeeded, this.#writtenSeq + 1) : oldestNeeded;
    this.#ring.splice(0, Math.max(0, keepFrom - this.#oldest()));
  }

  /** Wakes viewers and the file writer once a turn of the event loop, however many messages came in it. */
  #announce(): void {
    if (this.#announced) return;
    this.#announced = true;
    setImmediate(() => {
      this.#announced = false;
      this.#news.dispatchEvent(new Event('news'));
      void this.#write();
    });
  }

  #write(): Promise<void> {
    this.#writing ??= this.#writePending().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writePending(): Promise<void> {
    while (this.#file && !this.#fileBroken && this.#writtenSeq < this.#lastSeq) {
      const pending = this.#ring.slice(this.#writtenSeq + 1 - this.#oldest());
      try {
        await this.#file.append(pending);
        this.#writtenSeq = pending.at(-1)?.seq ?? this.#writtenSeq;
      } catch (error) {
        this.#fileBroken = true;
        this.#onWriteError(messageOf(error));
      }
    }
  }
}

async function* batches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
