const shown = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A moment in the viewer's zone, where only text can stand. */
export const timeText = (at: string): string => shown.format(new Date(at));

/** A moment in the viewer's zone; in UTC where the pointer rests on it. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at} title={`${at.replace('T', ' ').replace(/\.\d+Z$/, '')} UTC`}>
    {timeText(at)}
  </time>
);

/** Seconds as people say them: 8 s, 2 min 5 s. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole === 0) return '< 1 s';
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
