import type { components } from '../../../api/schema.ts';
import { dateFormat } from '../../../lib/figures.ts';
import { timeZone } from '../../../lib/language.ts';
import { backupsText } from '../messages.ts';

type Keep = components['schemas']['BackupRetention'];

const words = backupsText.cron;

/** A time of day in UTC, on a day of the week where one is given, as a clock of the zone shows it. */
function clockOf(hour: string, minute: string, weekday: string | undefined, zone: string) {
  const at = new Date();
  at.setUTCHours(Number(hour), Number(minute), 0, 0);
  if (weekday !== undefined) at.setUTCDate(at.getUTCDate() + ((Number(weekday) + 7 - at.getUTCDay()) % 7));
  const day = (where: string): string => dateFormat({ weekday: 'long', timeZone: where }).format(at);
  const time = dateFormat({ timeStyle: 'short', timeZone: zone }).format(at);
  return { time, weekday: day(zone), sameDay: day(zone) === day('UTC') };
}

/**
 * A cron expression (in UTC) in words, in the user's time zone; an unusual one is shown unchanged.
 * @param zone default: the user's
 */
export function cronWords(cron: string, zone = timeZone): string {
  if (cron === '') return words.never;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().split(/\s+/);
  const isNumber = (field: string): boolean => /^\d+$/.test(field);
  const always = day === '*' && month === '*' && weekday === '*';
  if (!isNumber(minute)) return words.other(cron);
  if (always && hour === '*') return words.hourly(String(Number(clockOf('0', minute, undefined, zone).time.slice(3))));
  const every = /^\*\/(\d+)$/.exec(hour)?.[1];
  if (always && every && minute === '0') return words.hours(Number(every));
  if (!isNumber(hour)) return words.other(cron);
  const clock = clockOf(hour, minute, isNumber(weekday) ? weekday : undefined, zone);
  if (always) return words.daily(clock.time);
  if (day === '*' && month === '*' && isNumber(weekday)) return words.weekly(clock.weekday, clock.time);
  // The day before the first of the month has no fixed number.
  if (isNumber(day) && month === '*' && weekday === '*' && clock.sameDay) return words.monthly(day, clock.time);
  return words.other(cron);
}

/** The retention rule as text. */
export const keepWords = ({ last, daily, weekly, monthly }: Keep): string =>
  `${backupsText.keep.last(last)}${backupsText.keep.beyond(daily, weekly, monthly)}`;
