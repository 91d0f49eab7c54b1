/** Backups that must not go now: somebody reads them. */
export class InUse {
  readonly #readers = new Map<string, number>();

  has(id: string): boolean {
    return this.#readers.has(id);
  }

  /** Keeps a backup until the function answered is called, once. */
  hold(id: string): () => void {
    this.#readers.set(id, (this.#readers.get(id) ?? 0) + 1);
    return () => {
      const left = (this.#readers.get(id) ?? 1) - 1;
      if (left > 0) this.#readers.set(id, left);
      else this.#readers.delete(id);
    };
  }
}
