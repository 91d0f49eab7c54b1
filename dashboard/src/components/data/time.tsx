import { useSyncExternalStore } from 'react';
import { relativeText } from '../../lib/relative.ts';

const shown = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A time in the viewer's zone, as plain text. */
export const timeText = (at: string): string => shown.format(new Date(at));

const utcText = (at: string): string => `${at.replace('T', ' ').replace(/(\.\d+)?Z$/, '')} UTC`;

/** A time in the viewer's zone; its tooltip shows UTC. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at} title={utcText(at)}>
    {timeText(at)}
  </time>
);

/** A relative time; the tooltip shows the absolute time, local and in UTC. */
export function RelativeTime({ at }: { at: string }) {
  const now = useSyncExternalStore(onTick, currentTick);
  return (
    <time dateTime={at} title={`${timeText(at)} · ${utcText(at)}`}>
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

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** A time in the viewer's zone to the second; its tooltip shows UTC. */
export const ExactTime = ({ at }: { at: string }) => (
  <time dateTime={at} title={`${at.replace('T', ' ').replace('Z', '')} UTC`}>
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
