import { z } from 'zod';
import type { Clock } from '../../kernel/clock.ts';
import type { WriteJournal } from '../../platform/events/journal-entry.ts';
import { timestamp, toTimestamp } from '../../platform/http/formats.ts';
import { listOf, pagingQuery } from '../../platform/http/paging.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { type ReverseProxy, siteRoles } from '../../platform/proxy/proxy.ts';

const proxyConfig = z
  .object({
    domain: z.string(),
    path: z.string(),
    type: z.enum(['frontend', 'api']),
    tenant_id: z.uuid(),
    enabled: z.boolean(),
  })
  .meta({ id: 'ProxyConfig' });

/** Routes that control the reverse proxy. */
export function proxyRoutes(options: { proxy: ReverseProxy; clock: Clock; journal: WriteJournal }): Route[] {
  const { proxy, clock, journal } = options;
  const tag = 'Reverse proxy';
  return [
    defineRoute(
      {
        method: 'post',
        path: '/api/proxy/reload',
        tag,
        summary: 'Reload the reverse proxy',
        access: 'admin',
        response: { schema: z.object({ message: z.string(), timestamp }) },
        errors: ['proxy_unavailable'],
      },
      async ({ principal }) => {
        await proxy.reload();
        await journal({
          level: 'info',
          category: 'audit',
          message: `${principal.username} reloaded the proxy`,
          details: { user_id: principal.userId, username: principal.username },
        });
        return { message: 'The proxy has been reloaded', timestamp: toTimestamp(clock.now()) };
      },
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/proxy/test',
        tag,
        summary: 'Test the reverse proxy’s configuration',
        access: 'operator',
        response: { schema: z.object({ valid: z.boolean(), output: z.string() }) },
        errors: ['proxy_unavailable'],
      },
      () => proxy.test(),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/proxy/configs',
        tag,
        summary: 'Tenants’ configurations at the reverse proxy',
        access: 'viewer',
        query: pagingQuery(),
        response: { schema: listOf('configs', proxyConfig) },
      },
      async ({ query }) => {
        const sites = await proxy.found();
        const all = sites.flatMap(({ tenant, path, domains }) =>
          siteRoles.map((type) => ({ domain: domains[type], path, type, tenant_id: tenant.id, enabled: true })),
        );
        const page = all.slice(query.offset, query.offset + query.limit);
        return { configs: page, total: all.length, ...query };
      },
    ),
  ];
}
