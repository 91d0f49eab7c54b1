import { toTimestamp } from '../../platform/http/formats.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { logList, logQuery } from './schema.ts';
import type { JournalService } from './service.ts';

export function journalRoutes(journal: JournalService): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/logs',
        tag: 'Logs',
        summary: 'List log and audit entries',
        description: 'Newest first. Entries of a deleted tenant stay, with its id and slug.',
        access: 'viewer',
        query: logQuery,
        response: { schema: logList },
      },
      async ({ query }) => {
        const { limit, offset, since, until, tenant_id: tenantId, ...rest } = query;
        const between = {
          since: since === undefined ? undefined : new Date(since),
          until: until === undefined ? undefined : new Date(until),
        };
        const { items, total } = await journal.list({ tenantId, ...rest, ...between }, { limit, offset });
        return {
          logs: items.map((row) => ({
            id: row.id,
            tenant_id: row.tenantId,
            tenant_slug: row.tenantSlug,
            level: row.level,
            category: row.category,
            message: row.message,
            details: row.details,
            created_at: toTimestamp(row.createdAt),
          })),
          total,
          limit,
          offset,
        };
      },
    ),
  ];
}
