import type { UnitState } from '../../../adapters/runtimes/runtime.ts';

const maxCrashes = 3;
/** A unit that has crashed must stay up again within this time. */
const windowMs = 8_000;
/** A unit that has been up for this long is stable. */
const steadyMs = 5_000;

/**
 * Detects a unit that keeps crashing, as opposed to one that is slow or had one bad start. It gets each result of `inspect`.
 * Starts between two results may go unnoticed, so the time since the first crash counts, too.
 */
export class CrashWatch {
  #crashes = 0;
  #firstCrashAt: number | undefined;
  #activeSince: number | undefined;
  #seenActive = false;
  #lastStart: number | undefined;

  /**
   * @param now monotonic milliseconds
   * @returns the reason why waiting longer is pointless, if any
   */
  observe(state: UnitState, now: number): string | undefined {
    if (state.state === 'active') {
      const startedAt = state.startedAt?.getTime();
      if (this.#lastStart !== undefined && startedAt !== this.#lastStart && this.#seenActive) this.#crashed(now);
      if (startedAt !== this.#lastStart || !this.#seenActive) this.#activeSince = now;
      this.#lastStart = startedAt;
      this.#seenActive = true;
      if (this.#activeSince !== undefined && now - this.#activeSince >= steadyMs) this.#reset();
      return this.#crashes >= maxCrashes ? 'it keeps crashing' : undefined;
    }
    if (state.reason === null || state.waiting) return undefined;
    if (state.gaveUp) return state.reason;
    if (this.#seenActive || this.#firstCrashAt === undefined) this.#crashed(now);
    this.#seenActive = false;
    const isLooping = this.#crashes >= maxCrashes || now - (this.#firstCrashAt ?? now) >= windowMs;
    return isLooping ? state.reason : undefined;
  }

  #crashed(now: number): void {
    this.#crashes += 1;
    this.#firstCrashAt ??= now;
  }

  #reset(): void {
    this.#crashes = 0;
    this.#firstCrashAt = undefined;
  }
}

/** How long a unit may answer only with server errors, in ms. */
const serverErrorTimeoutMs = 30_000;

/** Detects a release that can't become healthy, as opposed to a slow start: it answers, but only with 5xx. */
export class ServerErrorWatch {
  #start: number | undefined;
  #since: number | undefined;

  /**
   * @param answer the status code of one health check; null: no answer
   * @param start when the unit was started; answers of an earlier start don't count
   * @param now monotonic milliseconds
   * @returns for how many seconds it has answered only with server errors, once that is too long
   */
  observe(answer: number | null, start: number | undefined, now: number): number | undefined {
    if (answer === null || answer < 500 || start !== this.#start) this.#since = undefined;
    this.#start = start;
    if (answer === null || answer < 500) return undefined;
    this.#since ??= now;
    return now - this.#since >= serverErrorTimeoutMs ? Math.round((now - this.#since) / 1000) : undefined;
  }
}
