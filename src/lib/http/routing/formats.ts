import { z } from 'zod';

/** An instant on the wire: ISO 8601 UTC with milliseconds. Handlers give a Date. */
export const timestamp = z.iso.datetime({ precision: 3 }).meta({ examples: ['2026-11-20T11:00:00.000Z'] });

/** A Date as it is sent. */
export const toTimestamp = (date: Date): string => date.toISOString();
export const toTimestampOrNull = (date: Date | null): string | null => date?.toISOString() ?? null;

/** `true` / `false` in a query string. */
export const queryBoolean = (otherwise: boolean) =>
  z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(otherwise);
