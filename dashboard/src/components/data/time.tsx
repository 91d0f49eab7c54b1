import { useSyncExternalStore } from 'react';
import { relativeText } from '../../lib/relative.ts';

const shown = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A moment in the viewer's zone, where only text can stand. */
export const timeText = (at: string): string => shown.format(new Date(at));

const utcText = (at: string): string => `${at.replace('T', ' ').replace(/(\.\d+)?Z$/, '')} UTC`;

/** A moment in the viewer's zone; in UTC where the pointer rests on it. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at} title={utcText(at)}>
    {timeText(at)}
  </time>
);

/** How long ago a moment was, or how soon it is; the moment itself, here and in UTC, where the pointer rests on it. */
export function RelativeTime({ at }: { at: string }) {
  const now = useSyncExternalStore(onTick, currentTick);
  return (
    <time dateTime={at} title={`${timeText(at)} · ${utcText(at)}`}>
      {relativeText(at, Math.max(now, Date.now()))}
    </time>
  );
}

/** A moment, and how far from now it is. */
export const TimeAndDistance = ({ at }: { at: string }) => (
  <>
    <Time at={at} /> (<RelativeTime at={at} />)
  </>
);

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** A moment in the viewer's zone to the second; in UTC where the pointer rests on it. */
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

/** Seconds as people say them: 8 s, 2 min 5 s. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole === 0) return '< 1 s';
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
