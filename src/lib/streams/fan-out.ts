/** One viewer of one stream, waiting for its turn. */
export interface Turn {
  /** Does a little work (at most about one socket write); true when there is more to do at once. */
  serve(): boolean;
}

interface DeliverySchedulerOptions {
  /** Milliseconds of delivery before the event loop gets its turn. */
  slice?: number;
  /** The share of the thread's time for delivery while producers are active, 0 to 1. */
  share?: number;
}

/** Milliseconds; a slice stretched by other work must not starve viewers. */
const maxRestMs = 100;
/** This many messages at once are a burst, whose delivery is deferred. */
const burstMessages = 1_000;

/**
 * Gives viewers their turns without slowing producers on the same thread: while messages arrive, delivery runs in slices of
 * about a millisecond and then rests to stay within its share, so messages go out in fewer, larger writes. After an idle
 * period, a burst is deferred by one interval in case it is short. Idle producers mean full speed.
 */
export class DeliveryScheduler {
  readonly #slice: number;
  readonly #restPerWork: number;
  #queue: Turn[] = [];
  #next: Turn[] = [];
  #at = 0;
  #scheduled = false;
  /** Messages since the last delivery. */
  #produced = 0;
  #rested = false;
  #restUntil = 0;

  constructor(options: DeliverySchedulerOptions = {}) {
    this.#slice = options.slice ?? 1;
    const share = options.share ?? 0.02;
    this.#restPerWork = (1 - share) / share;
  }

  /** Notes that a producer is active. */
  produced(): void {
    this.#produced += 1;
  }

  /** Queues a turn; the caller queues each at most once. */
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

/** One per process, like the event loop that it shares. */
export const processDelivery = new DeliveryScheduler();
