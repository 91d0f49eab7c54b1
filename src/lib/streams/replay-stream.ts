import { setImmediate as nextEventLoopTurn, setTimeout as sleep } from 'node:timers/promises';
import type { NumberedMessage, StreamMessage } from './message.ts';
import type { MessageFile } from './message-file.ts';
import { MessageRing } from './message-ring.ts';
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
  /** Called when a viewer has joined or left. */
  onViewersChange?: () => void;
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

/** Messages sent to viewers before other work gets its turn: about 0.2 ms. */
const messagesPerTurn = 256;
/** The pause between two turns while messages are appended. */
const pauseMs = 10;

/** The turn of the viewer that came last. */
let lastTurn: Promise<void> = Promise.resolve();
let sentInTurn = 0;
/** Whether any stream has got a message since the last turn. */
let appended = false;

/**
 * Viewers take turns on the event loop, and pause between two turns while messages are appended: producers on the same thread
 * lose little to any number of viewers.
 */
function turnFor(messages: number): Promise<void> {
  lastTurn = lastTurn.then(() => {
    sentInTurn += Math.min(messages, messagesPerTurn);
    if (sentInTurn < messagesPerTurn) return undefined;
    sentInTurn = 0;
    if (!appended) return nextEventLoopTurn();
    appended = false;
    return sleep(pauseMs);
  });
  return lastTurn;
}

/**
 * One stream of numbered messages with many viewers. The cost of appending does not depend on their number: each viewer has a
 * cursor and is served at its own pace from the shared ring or the file.
 */
export class ReplayStream {
  readonly #options: ReplayStreamOptions;
  readonly #ring: MessageRing;
  readonly #writer: WriteBehind | undefined;
  readonly #viewers = new Set<{ cursor: number }>();
  readonly #waiting: (() => void)[] = [];
  #lastSeq: number;
  #announced = false;
  #closed = false;

  constructor(options: ReplayStreamOptions = {}) {
    this.#options = options;
    this.#ring = new MessageRing({
      messages: options.ring ?? 2_000,
      characters: options.ringCharacters ?? 8 * 1024 * 1024,
    });
    this.#lastSeq = options.lastSeq ?? 0;
    if (!options.file) return;
    this.#writer = new WriteBehind({
      file: options.file,
      ring: this.#ring,
      lastSeq: this.#lastSeq,
      onWritten: () => {
        appended = true;
        this.#trim();
      },
      onGiveUp: (reason) => options.onWriteError?.(reason),
    });
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get viewers(): number {
    return this.#viewers.size;
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
    appended = true;
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

  /**
   * The messages after `since`, past and future, in batches, until the stream ends or `signal` is aborted.
   * @throws ViewerLagged when unseen messages are gone from the ring and not in the file; the file system's error
   */
  async *follow(since: number, signal: AbortSignal): AsyncGenerator<readonly NumberedMessage[]> {
    const viewer = { cursor: this.#startAfter(since) };
    const leave = (): void => this.#leave(viewer);
    this.#viewers.add(viewer);
    this.#options.onViewersChange?.();
    signal.addEventListener('abort', leave);
    try {
      while (!signal.aborted) {
        if (viewer.cursor === this.#lastSeq) {
          if (this.#closed) return;
          await this.#nextMessages(signal);
          continue;
        }
        await turnFor(this.#lastSeq - viewer.cursor);
        const batch = await this.#batchFrom(viewer.cursor + 1);
        if (signal.aborted) return;
        if (batch.length === 0) throw new ViewerLagged();
        viewer.cursor += batch.length;
        yield batch;
      }
    } finally {
      signal.removeEventListener('abort', leave);
      leave();
    }
  }

  /** Empty when the messages are gone. */
  async #batchFrom(seq: number): Promise<readonly NumberedMessage[]> {
    const kept = this.#ring.batchFrom(seq);
    const isStored = this.#writer !== undefined && seq <= this.#writer.storedUpTo;
    return kept.length === 0 && isStored ? ((await this.#options.file?.read(seq)) ?? []) : kept;
  }

  #leave(viewer: { cursor: number }): void {
    if (this.#viewers.delete(viewer)) this.#options.onViewersChange?.();
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

  #nextMessages(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      signal.addEventListener('abort', done);
      this.#waiting.push(done);
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
    for (const { cursor } of this.#viewers) least = Math.min(least, cursor);
    return least;
  }

  /** Wakes viewers and the file writer once per turn of the event loop, however many messages arrived. */
  #announce(): void {
    if (this.#announced) return;
    this.#announced = true;
    setImmediate(() => {
      this.#announced = false;
      for (const wake of this.#waiting.splice(0)) wake();
      void (this.#closed ? this.#writer?.finish() : this.#writer?.write());
    });
  }
}
