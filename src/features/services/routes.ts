import { serveTail } from '../../lib/http/responses/sse.ts';
import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import type { ReplayStream } from '../../lib/streams/replay-stream.ts';
import type { Control } from './control.ts';
import type { LogsRequest } from './recent-logs.ts';
import { actionAnswer, type DetailsAnswer, detailsAnswer, logsAnswer, logsQuery, statusAnswer } from './schema.ts';

interface Services extends Control {
  details(tenantId: string): Promise<DetailsAnswer>;
  logs(tenantId: string, request: LogsRequest): Promise<string>;
  logStream(tenantId: string, service: string | undefined): Promise<ReplayStream>;
}

const tag = 'Services';

const actions = [
  ['start', '/api/tenants/{id}/start', 'Start a tenant’s services'],
  ['stop', '/api/tenants/{id}/stop', 'Stop a tenant’s services'],
  ['restart', '/api/tenants/{id}/restart', 'Restart a tenant’s services'],
  ['start', '/api/tenants/{id}/services/start', 'Start a tenant’s services (the same as start)'],
  ['stop', '/api/tenants/{id}/services/stop', 'Stop a tenant’s services (the same as stop)'],
] as const;

const descriptions = {
  start: 'Succeeds if the services already run. Applies a changed configuration or theme.',
  stop: 'Succeeds if the services are already stopped.',
  restart:
    'Applies a changed configuration or theme. If the services don’t become healthy, the previous ones are restored.',
} as const;

export function serviceRoutes(services: Services): Route[] {
  return [
    ...actions.map(([action, path, summary]) =>
      defineRoute(
        {
          method: 'post',
          path,
          tag,
          summary,
          description: descriptions[action],
          access: 'operate',
          responses: { 200: { schema: actionAnswer } },
          errors: [
            'not_found',
            'operation_in_progress',
            'not_deployed',
            'tenant_error',
            'runtime_unavailable',
            'insufficient_storage',
          ],
        },
        ({ params, principal }) => services[action](params.id, principal),
      ),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/services/status',
        tag,
        summary: 'Get the states of a tenant’s services',
        access: 'view',
        responses: { 200: { schema: statusAnswer } },
        errors: ['not_found', 'runtime_unavailable'],
      },
      ({ params }) => services.status(params.id),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/services',
        tag,
        summary: 'Get the details of a tenant’s services',
        description:
          'When each service started or why it does not run, its resource usage, and whether it has the current configuration. Takes half a second to measure the CPU usage.',
        access: 'view',
        responses: { 200: { schema: detailsAnswer } },
        errors: ['not_found', 'runtime_unavailable'],
      },
      ({ params }) => services.details(params.id),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/logs',
        tag,
        summary: 'Get the log of a tenant’s services; with `follow=true` as server-sent events',
        description: 'Of a tenant that no deployment has succeeded for: what is kept of one that failed.',
        access: 'view',
        ticket: true,
        streamWhen: 'follow',
        query: logsQuery,
        responses: {
          200: {
            schema: logsAnswer,
            alsoAs: {
              mediaType: 'text/event-stream',
              description:
                'With `follow=true`: `log` messages {service, message, stream, timestamp, seq}, by time. `timestamp` is null for lines ' +
                'written before timestamps were recorded.',
            },
          },
        },
        errors: ['not_found', 'not_deployed', 'runtime_unavailable'],
      },
      async ({ params, query, request, response }) => {
        if (query.follow) {
          const tail = await services.logStream(params.id, query.service);
          await serveTail(request, response, tail, query.since === undefined ? {} : { since: query.since });
          return undefined;
        }
        const logs = await services.logs(params.id, query);
        return { tenant_id: params.id, service: query.service ?? null, logs };
      },
    ),
  ];
}
