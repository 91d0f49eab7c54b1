import type { CheckRun } from './store.ts';

const minute = 60_000;
/** A failure is checked again soon: it may be over, in ms. */
const retryAfterMs = minute;
/** A result without newer ones says nothing any more after this time, in ms. */
const minRelevantMs = 15 * minute;

/** Whether the checks must run again. */
export function isDue(last: Pick<CheckRun, 'at' | 'status'> | undefined, minutes: number, now: Date): boolean {
  if (!last) return true;
  const pauseMs = last.status === 'failed' ? Math.min(retryAfterMs, minutes * minute) : minutes * minute;
  // The clock was set back.
  if (last.at > now) return true;
  return now.getTime() - last.at.getTime() >= pauseMs;
}

/** Whether a result still says something about the tenant: for three intervals, at least 15 minutes. */
export function isRelevant({ at }: Pick<CheckRun, 'at'>, minutes: number, now: Date): boolean {
  return now.getTime() - at.getTime() < Math.max(3 * minutes * minute, minRelevantMs);
}
