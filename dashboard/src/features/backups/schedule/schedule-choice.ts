import { dateFormat } from '../../../lib/figures.ts';
import { timeZone } from '../../../lib/language.ts';
import { backupsText } from '../messages.ts';

/** The choices of a schedule form; `cron` is any schedule that the others can't express. */
export interface Choice {
  often: 'default' | 'never' | 'hours' | 'daily' | 'weekly' | 'cron';
  /** Of the day, in UTC. */
  hour: string;
  /** Of the week, 1 is Monday. */
  day: string;
  cron: string;
}

/** A cron expression as a choice. @param cron null: the default holds; empty: never */
export function choiceOf(cron: string | null): Choice {
  const otherwise = { hour: '2', day: '1', cron: cron ?? '' };
  if (cron === null) return { ...otherwise, often: 'default' };
  if (cron === '') return { ...otherwise, often: 'never' };
  if (cron === '0 */6 * * *') return { ...otherwise, often: 'hours' };
  const [, hour, day] = /^0 (\d{1,2}) \* \* (\*|[0-7])$/.exec(cron) ?? [];
  if (hour === undefined || day === undefined) return { ...otherwise, often: 'cron' };
  // `02` is also a valid hour of a schedule.
  const chosen = { ...otherwise, hour: String(Number(hour)) };
  return day === '*' ? { ...chosen, often: 'daily' } : { ...chosen, often: 'weekly', day: day === '0' ? '7' : day };
}

/** The cron expression of a choice; null: the default holds; empty: never. */
export function cronOf({ often, hour, day, cron }: Choice): string | null {
  switch (often) {
    case 'default':
      return null;
    case 'never':
      return '';
    case 'hours':
      return '0 */6 * * *';
    case 'daily':
      return `0 ${hour} * * *`;
    case 'weekly':
      return `0 ${hour} * * ${day}`;
    case 'cron':
      return cron;
  }
}

interface HoursOptions {
  /** Day of the week in UTC, 1 is Monday; the form also shows the local day if it differs. */
  day?: string | undefined;
  /** Default: the user's. */
  zone?: string;
}

/** Every full hour of a day, by its number in UTC, as `text` says it of both clocks (`02:00`, `21:00 on Sunday`). */
export function hoursOf(
  text: (utc: string, here: string) => string,
  { day, zone = timeZone() }: HoursOptions = {},
): Record<string, string> {
  const clock = dateFormat({ timeStyle: 'short', timeZone: zone });
  const weekday = (date: Date, where: string): string => dateFormat({ weekday: 'long', timeZone: where }).format(date);
  const hourOf = (hour: number): string => {
    const date = new Date();
    date.setUTCHours(hour, 0, 0, 0);
    if (day !== undefined) date.setUTCDate(date.getUTCDate() + ((Number(day) + 7 - date.getUTCDay()) % 7));
    const here = weekday(date, zone);
    const isOther = day !== undefined && here !== weekday(date, 'UTC');
    return text(
      `${String(hour).padStart(2, '0')}:00`,
      isOther ? backupsText.schedule.onDay(clock.format(date), here) : clock.format(date),
    );
  };
  return Object.fromEntries(Array.from({ length: 24 }, (_, hour) => [String(hour), hourOf(hour)]));
}
