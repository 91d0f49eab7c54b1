import { z } from 'zod';

/** An instant on the wire: ISO 8601 UTC with milliseconds. Handlers give a Date. */
export const timestamp = z.iso.datetime({ precision: 3 }).meta({ examples: ['2026-11-20T11:00:00.000Z'] });

const [firstYear, endYear] = [2000, 2200];

/** An instant from outside, with any offset. A year typed with two digits is a mistake, and the stores keep no year below 1000. */
export const instantText = z.iso.datetime({ offset: true }).refine(
  (text) => {
    const year = new Date(text).getUTCFullYear();
    return year >= firstYear && year < endYear;
  },
  `must be between the years ${firstYear} and ${endYear - 1}`,
);

/** A Date as it is sent. */
export const toTimestamp = (date: Date): string => date.toISOString();
export const toTimestampOrNull = (date: Date | null): string | null => date?.toISOString() ?? null;

/** `true` / `false` in a query string. */
export const queryBoolean = (otherwise: boolean) =>
  z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(otherwise);
