import { z } from 'zod';

/** A moment with its offset, kept in UTC with milliseconds, so that texts sort by time. */
export const moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());
