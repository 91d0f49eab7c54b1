import { messageOf } from '../errors.ts';
import { BlockCache } from './block-cache.ts';
import { type FanOut, processFanOut } from './fan-out.ts';
import type { NumberedMessage, StreamMessage } from './message.ts';
import type { MessageFile } from './message-file.ts';
import { MessageRing } from './message-ring.ts';
import { type Next, type Source, type Viewer, Watch } from './watch.ts';

export type { StreamMessage } from './message.ts';

interface TailOptions {
  /** At least how many messages are kept in memory for viewers that join or lag. */
  ring?: number;
  /** … unless they are larger than this together, in characters. */
  ringCharacters?: number;
  /** With a file every message can be replayed from the first on; without one, only the ring's. */
  file?: MessageFile;
  /** The number of the last message already in the file. */
  lastSeq?: number;
  /** Told once when the file can't be written any more (a full disk): the stream goes on from memory. */
  onWriteError?: (message: string) => void;
  /** Who shares out the thread among viewers; the process's one unless said. */
  fanOut?: FanOut;
}

/** So many characters may wait for a disk that hangs; then the stream goes on from memory. */
const mostUnwritten = 64 * 1024 * 1024;
const messagesPerWrite = 8_192;

/** Thrown to a viewer that the ring has overtaken: it is too slow and must be dropped, never waited for. */
export class ViewerLagged extends Error {
  constructor() {
    super('The viewer was too slow and lost messages');
    this.name = 'ViewerLagged';
  }
}

/**
 * One stream of numbered messages, many viewers. Appending costs the same however many watch: each viewer is served at
 * its own pace, and what it has not had yet is held once, in the ring or the file, not once a viewer.
 */
export class Tail implements Source {
  readonly #ring: MessageRing;
  readonly #file: MessageFile | undefined;
  readonly #stored: BlockCache | undefined;
  readonly #fanOut: FanOut;
  readonly #onWriteError: (message: string) => void;
  #waiting = new Set<() => void>();
  #lastSeq: number;
  #writtenSeq: number;
  #writing: Promise<void> | undefined;
  #finished: Promise<void> | undefined;
  #fileBroken = false;
  #announced = false;
  #closed = false;

  constructor(options: TailOptions = {}) {
    this.#ring = new MessageRing({
      messages: options.ring ?? 2_000,
      characters: options.ringCharacters ?? 8 * 1024 * 1024,
    });
    this.#file = options.file;
    this.#stored = options.file && new BlockCache(options.file);
    this.#lastSeq = options.lastSeq ?? 0;
    this.#writtenSeq = this.#lastSeq;
    this.#onWriteError = options.onWriteError ?? (() => undefined);
    this.#fanOut = options.fanOut ?? processFanOut;
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
    const json = JSON.stringify({ ...message, seq });
    this.#lastSeq = seq;
    this.#ring.push({ seq, json });
    this.#trim();
    this.#announce();
    return seq;
  }

  /** Ends the stream: viewers get what is left, then their end. */
  close(): void {
    this.#closed = true;
    this.#announce();
  }

  /** Resolves when all messages so far are in the file, or the file is given up. */
  async flushed(): Promise<void> {
    const goal = this.#lastSeq;
    while (this.#durable && this.#writtenSeq < goal) await this.#write();
    if (this.#closed) await this.#finish();
  }

  /** Serves a viewer with what comes after message `since`, first what was, then what comes, until `stop` or the end. */
  watch(since: number, viewer: Viewer): Watch {
    return new Watch(this, viewer, this.#startAfter(since), this.#fanOut);
  }

  /**
   * Batches of messages after `since`, as `watch` gives them, for one who pulls them.
   * @throws ViewerLagged where messages that were not seen are gone from the ring and not in a file
   */
  async *follow(since: number, signal: AbortSignal): AsyncGenerator<readonly NumberedMessage[]> {
    let cursor = this.#startAfter(since);
    while (!signal.aborted) {
      const next = this.next(cursor);
      if (next.kind === 'end') {
        if (next.reason === 'ended') return;
        throw new ViewerLagged();
      }
      if (next.kind === 'none') {
        await this.#newsOr(signal);
        continue;
      }
      const block = await next.block;
      if (!block || block.last <= cursor) throw new ViewerLagged();
      const batch = block.messages.slice(cursor + 1 - block.first);
      cursor += batch.length;
      if (signal.aborted) return;
      yield batch;
    }
  }

  next(cursor: number): Next {
    if (cursor >= this.#lastSeq) return this.#closed ? { kind: 'end', reason: 'ended' } : { kind: 'none' };
    const seq = cursor + 1;
    const block = this.#ring.find(seq) ?? this.#stored?.find(seq);
    if (block) return { kind: 'block', block };
    if (!this.#stored || seq > this.#writtenSeq) return { kind: 'end', reason: 'lagged' };
    return { kind: 'loading', block: this.#stored.load(seq) };
  }

  await(news: () => void): void {
    this.#waiting.add(news);
  }

  forget(news: () => void): void {
    this.#waiting.delete(news);
  }

  /**
   * A number the stream has not reached was given by an earlier run of the manager: a stream kept in memory has begun
   * anew, so all of it is new to the viewer; a file lost its last lines in a crash, so what follows them is.
   */
  #startAfter(since: number): number {
    if (this.#file) return Math.min(since, this.#lastSeq);
    const beforeOldest = (this.#ring.oldest ?? this.#lastSeq + 1) - 1;
    return since > this.#lastSeq ? beforeOldest : Math.max(since, beforeOldest);
  }

  #newsOr(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        this.#waiting.delete(done);
        resolve();
      };
      signal.addEventListener('abort', done);
      this.#waiting.add(done);
    });
  }

  get #durable(): boolean {
    return this.#file !== undefined && !this.#fileBroken;
  }

  /** What is not in the file yet is never dropped from the ring, unless the disk hangs. */
  #trim(): void {
    this.#ring.trim(this.#durable ? this.#writtenSeq : this.#lastSeq);
    if (this.#durable && this.#ring.characters > mostUnwritten) this.#giveUpFile('the disk does not keep up');
  }

  /** Wakes viewers and the file writer once a turn of the event loop, however many messages came in it. */
  #announce(): void {
    this.#fanOut.produced();
    if (this.#announced) return;
    this.#announced = true;
    setImmediate(() => {
      this.#announced = false;
      const waiting = this.#waiting;
      this.#waiting = new Set();
      for (const news of waiting) news();
      void (this.#closed ? this.#finish() : this.#write());
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
      const pending = this.#ring.slice(this.#writtenSeq + 1, messagesPerWrite);
      try {
        await this.#file.append(pending);
        this.#writtenSeq = pending.at(-1)?.seq ?? this.#writtenSeq;
        this.#trim();
        this.#fanOut.produced();
      } catch (error) {
        this.#giveUpFile(messageOf(error));
      }
    }
  }

  /** Once the stream has ended: what is left into the file, then lets go of it. */
  #finish(): Promise<void> {
    this.#finished ??= this.#write()
      .then(() => this.#file?.close())
      .catch((error: unknown) => this.#giveUpFile(messageOf(error)));
    return this.#finished;
  }

  #giveUpFile(reason: string): void {
    if (this.#fileBroken) return;
    this.#fileBroken = true;
    this.#onWriteError(reason);
  }
}
