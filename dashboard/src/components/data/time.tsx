import { useSyncExternalStore } from 'react';
import { dateFormat, fullTime } from '../../lib/figures.ts';
import { relativeText } from '../../lib/relative.ts';

const shown = dateFormat({ dateStyle: 'medium', timeStyle: 'short' });
const exact = dateFormat({ dateStyle: 'medium', timeStyle: 'medium' });

/** A time in the user's zone, as plain text. */
export const timeText = (at: string): string => shown.format(new Date(at));

const clock = dateFormat({ timeStyle: 'medium' });
/** A time of day in the user's zone: 14:05:12. */
export const clockText = (at: string): string => clock.format(new Date(at));

/** A time in the user's zone; its tooltip names the zone, and shows UTC. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at} title={fullTime(at)}>
    {timeText(at)}
  </time>
);

/** A relative time; the tooltip shows the absolute time, with the zone and in UTC. */
export function RelativeTime({ at }: { at: string }) {
  const now = useSyncExternalStore(onTick, currentTick);
  return (
    <time dateTime={at} title={fullTime(at)}>
      {relativeText(at, Math.max(now, Date.now()))}
    </time>
  );
}

/** A time, with the time relative to now. */
export const TimeAndDistance = ({ at }: { at: string }) => (
  <>
    <Time at={at} /> (<RelativeTime at={at} />)
  </>
);

/** A time in the user's zone to the second; its tooltip names the zone, and shows UTC. */
export const ExactTime = ({ at }: { at: string }) => (
  <time dateTime={at} title={fullTime(at)}>
    {exact.format(new Date(at))}
  </time>
);

const tickMs = 20_000;
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for all relative times on the page. */
function onTick(watcher: () => void): () => void {
  watchers.add(watcher);
  timer ??= setInterval(() => {
    for (const one of watchers) one();
  }, tickMs);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
const currentTick = (): number => Math.floor(Date.now() / tickMs) * tickMs;

/** Formats seconds: 8 s, 2 min 5 s. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole === 0) return '< 1 s';
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
