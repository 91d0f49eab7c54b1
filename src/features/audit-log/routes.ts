import { toTimestamp } from '../../lib/http/routing/formats.ts';
import { may } from '../../lib/http/routing/roles.ts';
import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import { logList, logQuery } from './schema.ts';
import type { AuditLogService } from './service.ts';
import type { LogRow } from './store.ts';

export function auditLogRoutes(auditLog: AuditLogService): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/logs',
        tag: 'Logs',
        summary: 'List log and audit entries',
        description:
          'Newest first. Entries of deleted tenants remain, with the tenant’s ID and slug. Operators don’t see network addresses and users’ e-mail addresses.',
        access: 'operate',
        query: logQuery,
        responses: { 200: { schema: logList } },
      },
      async ({ query, principal }) => {
        const detailsFor = may(principal.role, 'audit') ? ({ details }: LogRow) => details : withoutPersonalData;
        const { limit, offset, since, until, tenant_id: tenantId, ...rest } = query;
        const between = {
          since: since === undefined ? undefined : new Date(since),
          until: until === undefined ? undefined : new Date(until),
        };
        const { items, total } = await auditLog.list({ tenantId, ...rest, ...between }, { limit, offset });
        return {
          logs: items.map((row) => ({
            id: row.id,
            tenant_id: row.tenantId,
            tenant_slug: row.tenantSlug,
            level: row.level,
            category: row.category,
            message: row.message,
            details: detailsFor(row),
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

/** The details of an entry without personal data, which only administrators may see. */
function withoutPersonalData({ category, details }: LogRow): Record<string, unknown> {
  if (category !== 'audit') return details;
  const { address: _address, user_agent: _program, ...rest } = details;
  for (const side of ['before', 'after']) {
    const value = rest[side];
    if (typeof value !== 'object' || value === null || !('email' in value)) continue;
    const { email: _email, ...others } = value;
    rest[side] = others;
  }
  return rest;
}
