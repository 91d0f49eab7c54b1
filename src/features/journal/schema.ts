import { z } from 'zod';
import { logCategories, logLevels } from '../../platform/events/journal-entry.ts';
import { timestamp } from '../../platform/http/formats.ts';
import { listOf, pagingQuery } from '../../platform/http/paging.ts';

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

export const logList = listOf('logs', logEntry).meta({ id: 'LogList' });

export const logQuery = pagingQuery(100).extend({
  tenant_id: z.string().optional(),
  level: z.enum(logLevels).optional(),
  category: z.enum(logCategories).optional(),
});
