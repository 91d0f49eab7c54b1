import cronstrue from 'cronstrue';
import 'cronstrue/locales/es.js';
import type { components } from '../../../api/schema.ts';
import { clockIn } from '../../../lib/figures.ts';
import { language, timeZone } from '../../../lib/language.ts';
import { text } from '../../../lib/messages.ts';
import { backupsText } from '../messages.ts';

type Keep = components['schemas']['BackupRetention'];

const isNumber = (field: string): boolean => /^\d+$/.test(field);

/** A cron expression (in UTC) as clocks of a zone show it; undefined where no expression says the same. */
function cronIn(zone: string, cron: string): string | undefined {
  if (zone === 'UTC') return cron;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().split(/\s+/);
  const at = new Date();
  at.setUTCHours(isNumber(hour) ? Number(hour) : 0, Number(minute), 0, 0);
  if (!isNumber(minute) || Number.isNaN(at.getTime())) return undefined;
  if (isNumber(weekday)) at.setUTCDate(at.getUTCDate() + ((Number(weekday) + 7 - at.getUTCDay()) % 7));
  const here = clockIn(zone, at);
  const anyDate = day === '*' && month === '*';
  if (/^\*(\/\d+)?$/.test(hour)) {
    return anyDate && weekday === '*' ? `${here.getUTCMinutes()} ${hour} * * *` : undefined;
  }
  if (!isNumber(hour)) return undefined;
  const time = `${here.getUTCMinutes()} ${here.getUTCHours()}`;
  if (here.getUTCDay() === at.getUTCDay()) return `${time} ${day} ${month} ${weekday}`;
  if (anyDate && isNumber(weekday)) return `${time} * * ${here.getUTCDay()}`;
  return anyDate && weekday === '*' ? `${time} * * *` : undefined;
}

/**
 * A cron expression (in UTC) in words, in the user's time zone; in UTC where no expression says it for that zone.
 * @param zone default: the user's
 */
export function cronWords(cron: string, zone = timeZone()): string {
  if (cron === '') return text.never;
  const here = cronIn(zone, cron);
  return here === undefined ? `${described(cron)} (UTC)` : described(here);
}

function described(cron: string): string {
  try {
    const words = cronstrue.toString(cron, { locale: language, use24HourTimeFormat: true, verbose: true });
    return words.replace('A los 1 minutos', 'Al minuto 1'); // Its Spanish has no singular.
  } catch {
    return cron; // The manager accepts more than cronstrue knows.
  }
}

/** The retention rule as text. */
export const keepWords = ({ last, daily, weekly, monthly }: Keep): string =>
  `${backupsText.keep.last(last)}${backupsText.keep.beyond(daily, weekly, monthly)}`;
