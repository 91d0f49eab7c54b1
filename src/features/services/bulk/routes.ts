import { pagingQuery } from '../../../lib/http/routing/paging.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { countResults } from './bulk-operation.ts';
import { bulkAnswer, bulkBody, bulkList, shownResult, shownSummary } from './schema.ts';
import type { BulkService } from './service.ts';

const tag = 'Bulk operations';

const stream =
  'Follow the operation with the WebSocket `/ws/bulk/{id}` or with `subscribe` `{stream: "bulk", id}` on Socket.IO. Without `since`, ' +
  'the stream starts at the first message. Messages, each with `seq`: `progress` {bulk_id, status, counts, result} (`result`: the tenant whose ' +
  'result changed, as in `results`, or null) and `complete` {bulk_id, status, counts, error}. `/ws/events` sends `bulk` {bulk_id, ' +
  'action, status, counts} to every viewer.';

const show = ({ operation, results }: Awaited<ReturnType<BulkService['get']>>) => ({
  ...shownSummary(operation, countResults(results)),
  results: results.map(shownResult),
});

export function bulkRoutes(bulk: BulkService): Route[] {
  return [
    defineRoute(
      {
        method: 'post',
        path: '/api/bulk',
        tag,
        summary: 'Do one thing with many tenants',
        description:
          'The manager processes `options.concurrency` tenants at a time, each like the single-tenant route. It waits up to 30 seconds for ' +
          'a tenant that another operation works on, then reports `operation_in_progress`. Tenants that are not deployed or no ' +
          'longer exist, or already have the version, are `skipped`. The operation resumes after a restart of the manager and repeats interrupted ' +
          `actions. ${stream}`,
        access: 'operate',
        body: bulkBody,
        responses: { 202: { schema: bulkAnswer } },
      },
      async ({ body: { action, parameters, tenant_ids: tenantIds, filter = {}, options }, principal }) =>
        show(
          await bulk.create(
            { action, parameters },
            tenantIds === undefined ? { filter } : { tenantIds },
            options,
            principal,
          ),
        ),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/bulk',
        tag,
        summary: 'List bulk operations',
        description: 'Newest first.',
        access: 'view',
        query: pagingQuery(),
        responses: { 200: { schema: bulkList } },
      },
      async ({ query: { limit, offset } }) => {
        const { items, total } = await bulk.list({ limit, offset });
        return {
          bulk_operations: items.map(({ operation, counts }) => shownSummary(operation, counts)),
          total,
          limit,
          offset,
        };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/bulk/{id}',
        tag,
        summary: 'Get a bulk operation and its results',
        description: stream,
        access: 'view',
        responses: { 200: { schema: bulkAnswer } },
        errors: ['not_found'],
      },
      async ({ params }) => show(await bulk.get(params.id)),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/bulk/{id}/cancel',
        tag,
        summary: 'Cancel a bulk operation',
        description: 'Tenants in progress finish; `pending` tenants are `skipped`.',
        access: 'operate',
        responses: { 202: { schema: bulkAnswer } },
        errors: ['not_found', 'invalid_state'],
      },
      async ({ params, principal }) => show(await bulk.cancel(params.id, principal)),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/bulk/{id}/retry',
        tag,
        summary: 'Retry the failed tenants',
        description: 'Creates a new bulk operation for the tenants that failed or were skipped because of a cancel.',
        access: 'operate',
        responses: { 202: { schema: bulkAnswer } },
        errors: ['not_found', 'invalid_state'],
      },
      async ({ params, principal }) => show(await bulk.retry(params.id, principal)),
    ),
  ];
}
