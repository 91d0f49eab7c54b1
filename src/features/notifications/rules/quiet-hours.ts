import { Cron } from 'croner';
import { z } from 'zod';
import { isTimeZone } from '../../../lib/clock.ts';
import { severities } from '../alert.ts';

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time of the day, such as 22:00');

/** A time of each day in which messages wait, by the clocks of a time zone. */
export const quietHours = z
  .strictObject({
    from: clockTime,
    to: clockTime.meta({ description: 'The first moment after them; earlier than `from`: on the next day' }),
    time_zone: z
      .string()
      .max(100)
      .refine(isTimeZone, { message: 'Must be the name of a time zone, such as America/Chicago' }),
    except: z.enum(severities).meta({ description: 'Alerts of at least this severity do not wait' }),
  })
  .refine(({ from, to }) => from !== to, { path: ['to'], message: 'Must differ from the start' })
  .meta({ id: 'QuietHours' });
export type QuietHours = z.output<typeof quietHours>;

/** They take long to make. */
const clocks = new Map<string, Intl.DateTimeFormat>();
function clockOf(timeZone: string): Intl.DateTimeFormat {
  // One zone has many spellings.
  const name = timeZone.toLowerCase();
  const clock =
    clocks.get(name) ??
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  clocks.set(name, clock);
  return clock;
}

/** When the quiet hours end that a moment is in; undefined: it is in none. */
export function endOfQuietHours({ from, to, time_zone }: QuietHours, at: Date): Date | undefined {
  // Times of two digits each compare like texts.
  const time = clockOf(time_zone).format(at);
  const isQuiet = from < to ? time >= from && time < to : time >= from || time < to;
  if (!isQuiet) return undefined;
  const [hour, minute] = to.split(':').map(Number);
  const end = new Cron(`${minute} ${hour} * * *`, { paused: true, timezone: time_zone, mode: '5-part' });
  return end.nextRun(at) ?? undefined;
}
