import type { DeliveryScheduler, Turn } from './fan-out.ts';
import type { MessageBlock } from './message-block.ts';

/** Why a viewer gets no more: the stream ended, overtook the viewer, or its file can't be read. */
export type WatchEnd = 'ended' | 'lagged' | 'unreadable';

/** A consumer such as a socket. Its functions must neither throw nor block. */
export interface Viewer {
  /**
   * Takes the messages of a block from index `from` up to but not including `to`. False: it has enough for now and will call
   * `resume`.
   */
  take(block: MessageBlock, from: number, to: number): boolean;
  /** No more messages follow. Not called after `stop`. */
  end(reason: WatchEnd): void;
}

/** What a stream has for a viewer after some number. */
export type Next =
  | { kind: 'block'; block: MessageBlock }
  | { kind: 'loading'; block: Promise<MessageBlock | undefined> }
  | { kind: 'none' }
  | { kind: 'end'; reason: WatchEnd };

/** A reader's position in a stream. */
export interface Cursor {
  readonly cursor: number;
}

/** Where a watch gets its messages from. */
export interface Source {
  /** Messages after the cursor are kept for it while there is room, until it leaves. */
  join(place: Cursor): void;
  leave(place: Cursor): void;
  next(cursor: number): Next;
  /** Calls `news` once when there are messages after `none`. */
  await(news: () => void): void;
  forget(news: () => void): void;
}

/** One viewer's cursor in one stream. */
export class Watch implements Turn, Cursor {
  readonly #source: Source;
  readonly #viewer: Viewer;
  readonly #fanOut: DeliveryScheduler;
  #cursor: number;
  #loaded: MessageBlock | undefined;
  #state: 'queued' | 'loading' | 'full' | 'waiting' | 'over' = 'queued';

  constructor(source: Source, viewer: Viewer, since: number, fanOut: DeliveryScheduler) {
    this.#source = source;
    this.#viewer = viewer;
    this.#cursor = since;
    this.#fanOut = fanOut;
    source.join(this);
    fanOut.enqueue(this);
  }

  /** The number of the last message given to the viewer. */
  get cursor(): number {
    return this.#cursor;
  }

  /** The viewer can take messages again after `take` returned false. */
  resume(): void {
    if (this.#state === 'full') this.#enqueue();
  }

  stop(): void {
    if (this.#state === 'waiting') this.#source.forget(this.#news);
    this.#source.leave(this);
    this.#state = 'over';
    this.#loaded = undefined;
  }

  serve(): boolean {
    if (this.#state === 'over') return false;
    const next = this.#next();
    switch (next.kind) {
      case 'block':
        return this.#give(next.block);
      case 'none':
        this.#state = 'waiting';
        this.#source.await(this.#news);
        return false;
      case 'loading':
        this.#load(next.block);
        return false;
      case 'end':
        this.#end(next.reason);
        return false;
      default:
        return next satisfies never;
    }
  }

  #next(): Next {
    const block = this.#loaded;
    this.#loaded = undefined;
    return block && block.last > this.#cursor ? { kind: 'block', block } : this.#source.next(this.#cursor);
  }

  #give(block: MessageBlock): boolean {
    const from = this.#cursor + 1 - block.first;
    const to = block.messages.length;
    this.#cursor = block.last;
    if (this.#viewer.take(block, from, to)) return this.#isOver() === false;
    if (!this.#isOver()) this.#state = 'full';
    return false;
  }

  /** A viewer may stop its watch during delivery. */
  #isOver(): boolean {
    return this.#state === 'over';
  }

  #load(loading: Promise<MessageBlock | undefined>): void {
    this.#state = 'loading';
    loading.then(
      (block) => {
        if (this.#isOver()) return;
        if (block && block.last > this.#cursor) this.#loaded = block;
        else if (this.#source.next(this.#cursor).kind === 'loading') return this.#end('unreadable');
        this.#enqueue();
      },
      () => this.#end('unreadable'),
    );
  }

  #end(reason: WatchEnd): void {
    if (this.#isOver()) return;
    this.stop();
    this.#viewer.end(reason);
  }

  readonly #news = (): void => {
    if (this.#state === 'waiting') this.#enqueue();
  };

  #enqueue(): void {
    this.#state = 'queued';
    this.#fanOut.enqueue(this);
  }
}
