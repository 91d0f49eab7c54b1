import type { LogLine } from './replay-dedup.ts';

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const day = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' });
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });

/** The time of a log line in the viewer's zone; with the day where that is not today. */
export function lineTime(time: string, today: Date): string {
  const date = new Date(time);
  const isToday = date.toDateString() === today.toDateString();
  return isToday ? clock.format(date) : `${day.format(date)} ${clock.format(date)}`;
}

/** Day, time and zone of the viewer, and the exact time in UTC. */
export const fullTime = (time: string): string =>
  `${full.format(new Date(time))} · ${time.replace('T', ' ').replace('Z', ' UTC')}`;

/** A line of the download: with the time in UTC, like the API's text. */
export const downloadedLine = (
  { time, from, node, text }: LogLine,
  services?: Readonly<Record<string, string>>,
): string =>
  [time, services?.[from] && `[${from}]`, node && `[${node}]`, text]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');

/** A request for one of the paths that health checks ask for, as web servers log it. */
const healthCheck = /\b(?:GET|HEAD) \/(?:api\/)?(?:health|healthz|docs)\b/;

export const isHealthCheck = ({ text }: LogLine): boolean => healthCheck.test(text);

/** Names a line in a link; undefined for a line without a time. */
export function lineName({ time, text }: LogLine): string | undefined {
  if (!time) return undefined;
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return `${time}_${(hash >>> 0).toString(36)}`;
}

export const isNamed = (line: LogLine, name: string): boolean =>
  line.time !== undefined && name.startsWith(line.time) && lineName(line) === name;
