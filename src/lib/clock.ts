/** Injectable clock. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

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
