import type { z } from 'zod';
import { disconnectSignal } from '../../lib/http/requests/client-disconnected.ts';
import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import { archiveAnswer, linesAnswer, linesQuery, searchAnswer, searchQuery } from './schema.ts';

/** Who searches, until the client goes. */
export interface Searcher {
  userId: string;
  signal: AbortSignal;
}

interface KeptLogs {
  search(id: string, query: z.output<typeof searchQuery>, by: Searcher): Promise<z.input<typeof searchAnswer>>;
  lines(id: string, query: z.output<typeof linesQuery>, by: Searcher): Promise<z.input<typeof linesAnswer>>;
  archive(tenantId: string): Promise<z.input<typeof archiveAnswer>>;
}

const tag = 'Services';

export function logArchiveRoutes(kept: KeptLogs): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/logs/search',
        tag,
        summary: 'Search a tenant’s kept logs',
        description:
          'Logs are kept past a service’s container, up to `log_retention_mb` for each service and generation. A search that takes long returns the hits found so far: continue it with `next_cursor`.',
        access: 'view',
        query: searchQuery,
        responses: { 200: { schema: searchAnswer } },
        errors: ['not_found', 'rate_limited', 'runtime_unavailable'],
      },
      ({ params, query, principal, response }) =>
        kept.search(params.id, query, { userId: principal.userId, signal: disconnectSignal(response) }),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/logs/lines',
        tag,
        summary: 'Get the kept log lines around a line',
        access: 'view',
        query: linesQuery,
        responses: { 200: { schema: linesAnswer } },
        errors: ['not_found', 'rate_limited', 'runtime_unavailable'],
      },
      ({ params, query, principal, response }) =>
        kept.lines(params.id, query, { userId: principal.userId, signal: disconnectSignal(response) }),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/logs/archive',
        tag,
        summary: 'List the generations of a tenant’s services whose logs are kept',
        description: 'The latest first, by service.',
        access: 'view',
        responses: { 200: { schema: archiveAnswer } },
        errors: ['not_found'],
      },
      ({ params }) => kept.archive(params.id),
    ),
  ];
}
