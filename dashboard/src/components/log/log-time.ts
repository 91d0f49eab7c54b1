import { dateFormat } from '../../lib/figures.ts';
import type { LogLine } from './replay-dedup.ts';

const clock = dateFormat({
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const day = dateFormat({ day: '2-digit', month: 'short' });
const date = dateFormat({ dateStyle: 'short' });

/** The time of a log line in the user's zone; with the day where that is not today. */
export function lineTime(time: string, today: Date): string {
  const at = new Date(time);
  const isToday = date.format(at) === date.format(today);
  return isToday ? clock.format(at) : `${day.format(at)} ${clock.format(at)}`;
}

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
