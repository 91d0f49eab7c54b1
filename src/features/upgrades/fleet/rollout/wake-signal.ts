/** Wakes one who waits; rung while nobody waits, it ends the next wait at once. */
export class WakeSignal {
  #rung = false;
  #wake: (() => void) | undefined;

  get isWoken(): boolean {
    return this.#rung;
  }

  wake(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Resolves when it is rung, or after so many milliseconds where a time is given. */
  async wait(milliseconds?: number): Promise<void> {
    if (!this.#rung) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        // A timer can't be set for longer than 24 days; who is woken too early looks again.
        if (milliseconds !== undefined) timer = setTimeout(resolve, Math.min(milliseconds, 2 ** 31 - 1));
      });
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#rung = false;
  }
}
