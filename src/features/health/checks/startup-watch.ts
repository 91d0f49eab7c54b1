import type { UnitState } from '../../../adapters/runtimes/runtime.ts';

const mostCrashes = 3;
/** A unit that has crashed must have found its feet within this time. */
const windowMs = 8_000;
/** Up for so long after a crash, it has. */
const steadyMs = 5_000;

/**
 * Tells a unit that keeps crashing from one that was only slow or had one bad start. Fed with what `inspect` answers,
 * as often as it is asked: starts between two looks may go unseen, so the time since the first crash counts as well.
 */
export class CrashWatch {
  #crashes = 0;
  #firstCrashAt: number | undefined;
  #activeSince: number | undefined;
  #seenActive = false;
  #lastStart: number | undefined;

  /**
   * @param now monotonic milliseconds
   * @returns why there is no use in waiting any longer
   */
  observe(state: UnitState, now: number): string | undefined {
    if (state.state === 'active') {
      const startedAt = state.startedAt?.getTime();
      if (this.#lastStart !== undefined && startedAt !== this.#lastStart && this.#seenActive) this.#crashed(now);
      if (startedAt !== this.#lastStart || !this.#seenActive) this.#activeSince = now;
      this.#lastStart = startedAt;
      this.#seenActive = true;
      if (this.#activeSince !== undefined && now - this.#activeSince >= steadyMs) this.#forget();
      return this.#crashes >= mostCrashes ? 'it keeps ending by itself' : undefined;
    }
    if (state.reason === null) return undefined;
    if (state.gaveUp) return state.reason;
    if (this.#seenActive || this.#firstCrashAt === undefined) this.#crashed(now);
    this.#seenActive = false;
    const hopeless = this.#crashes >= mostCrashes || now - (this.#firstCrashAt ?? now) >= windowMs;
    return hopeless ? state.reason : undefined;
  }

  #crashed(now: number): void {
    this.#crashes += 1;
    this.#firstCrashAt ??= now;
  }

  #forget(): void {
    this.#crashes = 0;
    this.#firstCrashAt = undefined;
  }
}

/** How long a unit that stays up may answer with nothing but server errors, in ms. */
const serverErrorTimeoutMs = 30_000;

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
    return now - this.#since >= serverErrorTimeoutMs ? Math.round((now - this.#since) / 1000) : undefined;
  }
}
