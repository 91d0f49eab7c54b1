/** Runs one piece of work at a time per key, in the order requested. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Whether work under `key` is running or waiting. */
  isBusy(key: string): boolean {
    return this.#tails.has(key);
  }

  /** Waits for earlier work under `key`, then runs `work`; a failure does not stop the next. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#tails.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(key) === mine) this.#tails.delete(key);
    }
  }
}
