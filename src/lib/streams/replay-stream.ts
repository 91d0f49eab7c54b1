import { BlockCache } from './block-cache.ts';
import { type DeliveryScheduler, processDelivery } from './fan-out.ts';
import type { NumberedMessage, StreamMessage } from './message.ts';
import type { MessageFile } from './message-file.ts';
import { MessageRing } from './message-ring.ts';
import { type Cursor, type Next, type Source, type Viewer, Watch } from './watch.ts';
import { WriteBehind } from './write-behind.ts';

export type { StreamMessage } from './message.ts';

interface ReplayStreamOptions {
  /** At least how many messages are kept in memory for viewers that join. */
  ring?: number;
  /** Maximum size in memory, in characters: without a file, how far viewers may lag before they are dropped. */
  ringCharacters?: number;
  /** With a file all messages can be replayed; without one, only the ring's. */
  file?: MessageFile;
  /** The number of the last message already in the file. */
  lastSeq?: number;
  /** Called once when the file can't be written any more (a full disk): the stream continues from memory. */
  onWriteError?: (message: string) => void;
  /** Schedules delivery; default: the process's scheduler. */
  fanOut?: DeliveryScheduler;
}

/** Maximum characters waiting for a hanging disk; then the stream continues from memory. */
const maxUnwrittenCharacters = 64 * 1024 * 1024;

/** Thrown to a viewer that the ring has overtaken: it is too slow and must be dropped. */
export class ViewerLagged extends Error {
  constructor() {
    super('The viewer was too slow and lost messages');
    this.name = 'ViewerLagged';
  }
}

/**
 * One stream of numbered messages with many viewers. The cost of appending does not depend on their number: each viewer is
 * served at its own pace from the shared ring or file.
 */
export class ReplayStream implements Source {
  readonly #ring: MessageRing;
  readonly #writer: WriteBehind | undefined;
  readonly #stored: BlockCache | undefined;
  readonly #fanOut: DeliveryScheduler;
  readonly #places = new Set<Cursor>();
  #waiting = new Set<() => void>();
  #lastSeq: number;
  #announced = false;
  #closed = false;

  constructor(options: ReplayStreamOptions = {}) {
    this.#ring = new MessageRing({
      messages: options.ring ?? 2_000,
      characters: options.ringCharacters ?? 8 * 1024 * 1024,
    });
    this.#lastSeq = options.lastSeq ?? 0;
    this.#fanOut = options.fanOut ?? processDelivery;
    if (!options.file) return;
    this.#stored = new BlockCache(options.file);
    this.#writer = new WriteBehind({
      file: options.file,
      ring: this.#ring,
      lastSeq: this.#lastSeq,
      onWritten: () => {
        this.#trim();
        this.#fanOut.produced();
      },
      onGiveUp: (reason) => options.onWriteError?.(reason),
    });
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** How many messages the slowest viewer lags behind. */
  get behind(): number {
    return this.#lastSeq - this.#seenByAll();
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Adds a message and returns its number. */
  append(message: StreamMessage): number {
    if (this.#closed) throw new Error('The stream has ended');
    const seq = this.#lastSeq + 1;
    const json = JSON.stringify({ ...message, seq });
    this.#lastSeq = seq;
    if (this.#ring.push({ seq, json })) this.#trim();
    this.#announce();
    return seq;
  }

  /** Ends the stream: viewers get the remaining messages, then the end. */
  close(): void {
    this.#closed = true;
    this.#announce();
  }

  /** Resolves when all messages so far are in the file, or the file has failed. */
  async flushed(): Promise<void> {
    await this.#writer?.reaches(this.#lastSeq);
    if (this.#closed) await this.#writer?.finish();
  }

  /** Serves a viewer the messages after `since`, past and future, until `stop` or the end. */
  watch(since: number, viewer: Viewer): Watch {
    return new Watch(this, viewer, this.#startAfter(since), this.#fanOut);
  }

  /**
   * Like `watch`, as batches of messages to iterate over.
   * @throws ViewerLagged when unseen messages are gone from the ring and not in a file
   */
  async *follow(since: number, signal: AbortSignal): AsyncGenerator<readonly NumberedMessage[]> {
    const place = { cursor: this.#startAfter(since) };
    this.join(place);
    try {
      while (!signal.aborted) {
        const next = this.next(place.cursor);
        if (next.kind === 'end') {
          if (next.reason === 'ended') return;
          throw new ViewerLagged();
        }
        if (next.kind === 'none') {
          await this.#newsOr(signal);
          continue;
        }
        const block = await next.block;
        if (!block || block.last <= place.cursor) throw new ViewerLagged();
        const batch = block.messages.slice(place.cursor + 1 - block.first);
        place.cursor += batch.length;
        if (signal.aborted) return;
        yield batch;
      }
    } finally {
      this.leave(place);
    }
  }

  next(cursor: number): Next {
    if (cursor >= this.#lastSeq) return this.#closed ? { kind: 'end', reason: 'ended' } : { kind: 'none' };
    const seq = cursor + 1;
    const block = this.#ring.find(seq) ?? this.#stored?.find(seq);
    if (block) return { kind: 'block', block };
    if (!this.#stored || !this.#writer || seq > this.#writer.storedUpTo) return { kind: 'end', reason: 'lagged' };
    return { kind: 'loading', block: this.#stored.load(seq) };
  }

  join(place: Cursor): void {
    this.#places.add(place);
  }

  leave(place: Cursor): void {
    this.#places.delete(place);
  }

  await(news: () => void): void {
    this.#waiting.add(news);
  }

  forget(news: () => void): void {
    this.#waiting.delete(news);
  }

  /**
   * A number that the stream has not reached comes from an earlier run of the manager: a stream in memory starts from 1 again,
   * so all of it is new to the viewer; a file lost its last lines in a crash, so what follows is new.
   */
  #startAfter(since: number): number {
    if (this.#writer) return Math.min(since, this.#lastSeq);
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

  /**
   * The ring never drops what is not yet in the file, unless the disk hangs. With a file, viewers need nothing else; without
   * one, a burst must not cost viewers that would have kept up.
   */
  #trim(): void {
    const writer = this.#writer;
    if (!writer || writer.givenUp) {
      this.#ring.trim({ storedUpTo: this.#lastSeq, seenUpTo: this.#seenByAll() });
      return;
    }
    this.#ring.trim({ storedUpTo: writer.storedUpTo, seenUpTo: this.#lastSeq });
    if (this.#ring.characters > maxUnwrittenCharacters) writer.giveUp('the disk does not keep up');
  }

  #seenByAll(): number {
    let least = this.#lastSeq;
    for (const { cursor } of this.#places) least = Math.min(least, cursor);
    return least;
  }

  /** Wakes viewers and the file writer once per turn of the event loop, however many messages arrived. */
  #announce(): void {
    this.#fanOut.produced();
    if (this.#announced) return;
    this.#announced = true;
    setImmediate(() => {
      this.#announced = false;
      const waiting = this.#waiting;
      this.#waiting = new Set();
      for (const news of waiting) news();
      void (this.#closed ? this.#writer?.finish() : this.#writer?.write());
    });
  }
}
