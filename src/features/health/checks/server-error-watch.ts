/** How long a unit that stays up may answer with nothing but server errors, in ms. */
const timeoutMs = 30_000;

/** Tells a version that cannot become healthy from one that is slow to start: it answers, and only ever with a 5xx. */
export class ServerErrorWatch {
  #start: number | undefined;
  #since: number | undefined;

  /**
   * @param answer the status of one health check; null where there was no answer
   * @param start when the unit was started: what an earlier start answered does not count
   * @param now monotonic milliseconds
   * @returns for how many seconds it has answered nothing else, when that is too long
   */
  observe(answer: number | null, start: number | undefined, now: number): number | undefined {
    if (answer === null || answer < 500 || start !== this.#start) this.#since = undefined;
    this.#start = start;
    if (answer === null || answer < 500) return undefined;
    this.#since ??= now;
    return now - this.#since >= timeoutMs ? Math.round((now - this.#since) / 1000) : undefined;
  }
}
