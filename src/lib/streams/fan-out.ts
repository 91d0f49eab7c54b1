/** What waits for its turn: one viewer of one stream. */
export interface Turn {
  /** Does a little work (at most about one socket write); true when there is more to do at once. */
  serve(): boolean;
}

interface DeliverySchedulerOptions {
  /** How long serving may go on before the event loop gets its turn, in milliseconds. */
  slice?: number;
  /** The part of the thread's time that serving may take while producers are at work, 0 to 1. */
  share?: number;
}

/** Milliseconds; a slice that was stretched by something else must not leave viewers in the dark. */
const maxRestMs = 100;
/** So many messages at once are a flood: what their viewers cost is saved up before it is spent. */
const burstMessages = 1_000;

/**
 * Gives viewers their turns, one after the other, without slowing the producers who share the thread with them: while
 * messages come in, serving takes slices of about a millisecond and then rests so long that it stays within its share;
 * what came in the meantime goes out in fewer, larger writes. A flood out of quiet is let pass for one rest first: it may be
 * over by then. When producers are quiet it goes on at full speed.
 */
export class DeliveryScheduler {
  readonly #slice: number;
  readonly #restPerWork: number;
  #queue: Turn[] = [];
  #next: Turn[] = [];
  #at = 0;
  #scheduled = false;
  /** Messages since viewers were served. */
  #produced = 0;
  #rested = false;
  #restUntil = 0;

  constructor(options: DeliverySchedulerOptions = {}) {
    this.#slice = options.slice ?? 1;
    const share = options.share ?? 0.02;
    this.#restPerWork = (1 - share) / share;
  }

  /** Tells that a producer is at work. */
  produced(): void {
    this.#produced += 1;
  }

  /** Puts a turn at the end of the queue; the caller sees to it that none is in it twice. */
  enqueue(turn: Turn): void {
    this.#next.push(turn);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const rest = this.#restUntil - performance.now();
    this.#rested = rest > 0;
    if (!this.#rested) setImmediate(this.#run);
    else setTimeout(this.#run, Math.ceil(rest));
  }

  readonly #run = (): void => {
    this.#scheduled = false;
    const start = performance.now();
    if (this.#produced >= burstMessages && !this.#rested) {
      this.#restUntil = start + Math.min(maxRestMs, this.#slice * this.#restPerWork);
      this.#schedule();
      return;
    }
    const busy = this.#produced > 0;
    this.#produced = 0;
    let now = start;
    while (now - start < this.#slice) {
      const turn = this.#shift();
      if (!turn) break;
      if (turn.serve()) this.#next.push(turn);
      now = performance.now();
    }
    this.#restUntil = busy ? now + Math.min(maxRestMs, (now - start) * this.#restPerWork) : now;
    if (this.#at < this.#queue.length || this.#next.length > 0) this.#schedule();
  };

  #shift(): Turn | undefined {
    if (this.#at === this.#queue.length) {
      this.#queue = this.#next;
      this.#next = [];
      this.#at = 0;
    }
    const turn = this.#queue[this.#at];
    if (turn) this.#at += 1;
    return turn;
  }
}

/** The event loop is one for the whole process, and so is the share of it that viewers get. */
export const processDelivery = new DeliveryScheduler();
