/** When a unit that exited is started again. */
export interface RestartDelays {
  firstMs: number;
  /** Delays double up to this one. */
  maxDelayMs: number;
  /** After a run of this length the next delay is the first one again. */
  resetAfterMs: number;
  /** After this many failures in a row it is reported as given up; restarts continue at the longest delay. */
  giveUpAfter: number;
}

export const defaultRestartDelays: RestartDelays = {
  firstMs: 1_000,
  maxDelayMs: 60_000,
  resetAfterMs: 60_000,
  giveUpAfter: 10,
};

/** The delay before the next start. @param failures consecutive failures, 1 or more */
export function restartDelay(failures: number, pauses: RestartDelays): number {
  return Math.min(pauses.firstMs * 2 ** Math.max(0, failures - 1), pauses.maxDelayMs);
}
