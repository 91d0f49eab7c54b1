import { z } from 'zod';
import { logCategories, logLevels } from '../../adapters/events/audit-log-entry.ts';
import { instantText, timestamp } from '../../lib/http/routing/formats.ts';
import { listOf, pagingQuery } from '../../lib/http/routing/paging.ts';

const logEntry = z
  .object({
    id: z.string(),
    tenant_id: z.string().nullable(),
    /** Identifies the tenant even after it was deleted. */
    tenant_slug: z.string().nullable(),
    level: z.enum(logLevels),
    category: z.enum(logCategories),
    message: z.string(),
    details: z.record(z.string(), z.unknown()),
    created_at: timestamp,
  })
  .meta({ id: 'LogEntry' });

/** A date and time as clients send it. */

export const logList = listOf('logs', logEntry).meta({ id: 'LogList' });

export const logQuery = pagingQuery(100).extend({
  tenant_id: z.string().optional(),
  level: z.enum(logLevels).optional(),
  category: z.enum(logCategories).optional(),
  search: z
    .string()
    .max(255)
    .optional()
    .meta({ description: 'Part of the message or of the tenant’s slug; case-insensitive' }),
  username: z.string().max(255).optional().meta({ description: 'Entries about actions by or on this user' }),
  since: instantText.optional().meta({ description: 'Entries at or after this time' }),
  until: instantText.optional().meta({ description: 'Entries at or before this time' }),
});
