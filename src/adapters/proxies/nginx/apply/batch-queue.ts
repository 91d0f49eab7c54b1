import { KeyedLock } from '../../../../lib/concurrency/keyed-lock.ts';
import { AppError } from '../../../../lib/errors.ts';

/** An item waiting for a batch. */
export interface Queued {
  /** A batch has one item per key: a second one waits for the next. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** Cancels it before its batch. */
  reject(error: unknown): void;
}

/** Collects requests during one batch into the next; one batch, or one other piece of work, at a time. */
export class BatchQueue<Item extends Queued> {
  readonly #work: (batch: Item[]) => Promise<void>;
  /** Each with the function that removes its abort listener. */
  #waiting = new Map<Item, () => void>();
  readonly #turns = new KeyedLock();
  #closed = false;

  /** @param work settles every item of the batch itself, and does not reject */
  constructor(work: (batch: Item[]) => Promise<void>) {
    this.#work = work;
  }

  add(item: Item): void {
    if (this.#closed || item.signal.aborted) {
      item.reject(this.#closed ? closing() : item.signal.reason);
      return;
    }
    const giveUp = (): void => {
      if (this.#take(item)) item.reject(item.signal.reason);
    };
    item.signal.addEventListener('abort', giveUp, { once: true });
    this.#waiting.set(item, () => item.signal.removeEventListener('abort', giveUp));
    // After the running work, and after what else is added in this turn.
    void this.exclusive(() => this.#next());
  }

  /** Runs other work exclusively, in the order requested. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run('', work);
  }

  /** Rejects waiting items, and waits for the running work. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const item of [...this.#waiting.keys()]) {
      this.#take(item);
      item.reject(closing());
    }
    await this.exclusive(async () => undefined);
  }

  async #next(): Promise<void> {
    const batch = new Map<string, Item>();
    for (const item of [...this.#waiting.keys()]) {
      if (batch.has(item.key)) continue;
      batch.set(item.key, item);
      this.#take(item);
    }
    if (batch.size > 0) await this.#work([...batch.values()]);
  }

  #take(item: Item): boolean {
    this.#waiting.get(item)?.();
    return this.#waiting.delete(item);
  }
}

const closing = (): AppError => new AppError('shutting_down', 'The manager is shutting down');
