import { backupsText } from '../text/backups.ts';
import type { Keep } from './queries.ts';

const words = backupsText.cron;
const twoDigits = (number: string): string => number.padStart(2, '0');

/** A cron expression as people say it; one that is not of the usual forms is shown as it is. */
export function cronWords(cron: string): string {
  if (cron === '') return words.never;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().split(/\s+/);
  const isNumber = (field: string): boolean => /^\d+$/.test(field);
  const always = day === '*' && month === '*' && weekday === '*';
  if (!isNumber(minute)) return words.other(cron);
  if (always && hour === '*') return words.hourly(minute);
  const every = /^\*\/(\d+)$/.exec(hour)?.[1];
  if (always && every && minute === '0') return words.hours(Number(every));
  if (!isNumber(hour)) return words.other(cron);
  const time = `${twoDigits(hour)}:${twoDigits(minute)}`;
  if (always) return words.daily(time);
  const name = backupsText.schedule.days[weekday === '0' ? '7' : weekday];
  if (day === '*' && month === '*' && isNumber(weekday) && name) return words.weekly(name, time);
  if (isNumber(day) && month === '*' && weekday === '*') return words.monthly(day, time);
  return words.other(cron);
}

/** What is kept, as people say it. */
export const keepWords = ({ last, daily, weekly, monthly }: Keep): string =>
  `${backupsText.keep.last(last)}${backupsText.keep.beyond(daily, weekly, monthly)}`;
