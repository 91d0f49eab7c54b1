/** Injectable clock. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/**
 * How far another clock is ahead of this one in ms, behind is negative: at least this much, as it was read at some moment between
 * two of this clock. 0: it may be right.
 */
export function clockAheadMs(other: number, before: number, after: number): number {
  if (other > after) return other - after;
  return Math.min(0, other - before);
}

/**
 * With NTP, clocks differ by milliseconds. One-time codes (RFC 6238) last 30 s, and common checks of tokens tolerate 60 s: with more
 * than 30 s, warn before these fail.
 */
const toleratedMs = 30_000;

/** By how much a clock differs, if that is more than is tolerated; undefined: it does not, or is unknown. */
export const clockDifference = (aheadMs: number | undefined): string | undefined =>
  aheadMs === undefined || Math.abs(aheadMs) <= toleratedMs ? undefined : durationText(Math.abs(aheadMs));

/** Says that a clock differs by more than is tolerated from the manager's; undefined: it does not, or is unknown. */
export function clockDifferenceText(owner: string, aheadMs: number | undefined): string | undefined {
  const difference = clockDifference(aheadMs);
  if (aheadMs === undefined || difference === undefined) return undefined;
  return aheadMs > 0
    ? `The clock of the ${owner} is ${difference} ahead of the manager’s`
    : `The clock of the ${owner} is ${difference} behind the manager’s`;
}

/** Whether a name is that of a time zone, such as `America/Chicago`, in any spelling that Intl accepts. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** A time span in words: `45 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const [big, small, names] =
    minutes < 1_440
      ? ([Math.floor(minutes / 60), minutes % 60, ['h', 'min']] as const)
      : ([Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60), ['d', 'h']] as const);
  return small === 0 ? `${big} ${names[0]}` : `${big} ${names[0]} ${small} ${names[1]}`;
}
