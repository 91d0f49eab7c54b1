/** When a unit that ended by itself is started again. */
export interface RestartDelays {
  firstMs: number;
  /** Pauses double up to this one. */
  longestMs: number;
  /** A unit that was up for so long counts as sound: the next pause is the first again. */
  resetAfterMs: number;
  /** After so many failures in a row it counts as given up; it is still tried, at the longest pause. */
  giveUpAfter: number;
}

export const defaultRestartDelays: RestartDelays = {
  firstMs: 1_000,
  longestMs: 60_000,
  resetAfterMs: 60_000,
  giveUpAfter: 10,
};

/** The pause before the next start. @param failures how often it ended in a row, 1 or more */
export function restartPause(failures: number, pauses: RestartDelays): number {
  return Math.min(pauses.firstMs * 2 ** Math.max(0, failures - 1), pauses.longestMs);
}
