import { z } from 'zod';
import { logCategories, logLevels } from '../../adapters/events/journal-entry.ts';
import { timestamp } from '../../lib/http/routing/formats.ts';
import { listOf, pagingQuery } from '../../lib/http/routing/paging.ts';

const logEntry = z
  .object({
    id: z.string(),
    tenant_id: z.string().nullable(),
    /** Tells which tenant it was also after that is gone. */
    tenant_slug: z.string().nullable(),
    level: z.enum(logLevels),
    category: z.enum(logCategories),
    message: z.string(),
    details: z.record(z.string(), z.unknown()),
    created_at: timestamp,
  })
  .meta({ id: 'LogEntry' });

/** A moment, as a client writes it. */
const moment = z.iso.datetime({ offset: true });

export const logList = listOf('logs', logEntry).meta({ id: 'LogList' });

export const logQuery = pagingQuery(100).extend({
  tenant_id: z.string().optional(),
  level: z.enum(logLevels).optional(),
  category: z.enum(logCategories).optional(),
  search: z
    .string()
    .max(255)
    .optional()
    .meta({ description: 'A part of the message or of the tenant’s slug, in any case of letters' }),
  username: z
    .string()
    .max(255)
    .optional()
    .meta({ description: 'Entries of what this user did, or what was done to it' }),
  since: moment.optional().meta({ description: 'Entries made at this moment or later' }),
  until: moment.optional().meta({ description: 'Entries made at this moment or before' }),
});
