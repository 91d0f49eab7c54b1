import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { serveTail } from '../../lib/http/responses/sse.ts';
import { queryBoolean, timestamp, toTimestamp } from '../../lib/http/routing/formats.ts';
import { listOf } from '../../lib/http/routing/paging.ts';
import { defineRoute, type Route, reply } from '../../lib/http/routing/route.ts';
import type { DeploymentsDeps } from './operation.ts';
import { logText, shownCommits, summaryOf } from './presentation.ts';
import { deployAnswer, deployBody, deployment, deploymentPlan, deploymentSummary, deploymentsQuery } from './schema.ts';
import type { DeploymentService } from './service.ts';

const tag = 'Deployments';

export function deploymentRoutes(deployments: DeploymentService, { engine, tenants }: DeploymentsDeps): Route[] {
  return [
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/deploy',
        tag,
        summary: 'Deploy a tenant',
        description:
          'Starts a deployment in the background; with `dry_run=true` returns its plan and changes nothing. `target_version` deploys a tag, `target_ref` a branch or a commit. After a branch or a commit was deployed, `version` is null, `ref` is the given name, and a later deployment without a target deploys the same commit again; an upgrade moves on to the latest release.',
        access: 'operate',
        query: z.object({ dry_run: queryBoolean(false) }),
        body: deployBody,
        responses: {
          200: { schema: deploymentPlan, description: 'With `dry_run=true`: the plan' },
          202: { schema: deployAnswer },
        },
        errors: [
          'operation_in_progress',
          'insufficient_storage',
          'runtime_unavailable',
          'git_error',
          'data_missing',
          'database_unavailable',
        ],
      },
      async ({ params, query, body, principal }) => {
        if (query.dry_run) {
          const { estimatedDuration, ...plan } = await deployments.plan(params.id, body);
          const changes = plan.changes && { ...plan.changes, commits: shownCommits(plan.changes.commits) };
          return reply(200, { dry_run: true as const, ...plan, changes, estimated_duration: estimatedDuration });
        }
        if (body.accept_data_loss && principal.role !== 'admin')
          throw new AppError('forbidden', 'accept_data_loss: only an administrator may deploy over lost data');
        const { record, estimatedDuration } = await deployments.deploy(params.id, body, principal);
        return reply(202, {
          deployment_id: record.id,
          status: 'running' as const,
          started_at: toTimestamp(record.createdAt),
          estimated_duration: estimatedDuration,
        });
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/deployments',
        tag,
        summary: 'Deployments of a tenant, newest first',
        access: 'view',
        query: deploymentsQuery,
        responses: { 200: { schema: listOf('deployments', deploymentSummary) } },
      },
      async ({ params, query: { kinds, ...paging } }) => {
        await tenants.get(params.id);
        const { items, total } = await deployments.list(params.id, paging, kinds);
        return { deployments: items.map(summaryOf), total, ...paging };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/deployments/{deployment_id}',
        tag,
        summary: 'One deployment with its steps and log',
        access: 'view',
        responses: { 200: { schema: deployment } },
      },
      async ({ params }) => {
        const record = await deployments.get(params.deployment_id);
        return { ...summaryOf(record), steps: record.steps, logs: await logText(await engine.stream(record.id)) };
      },
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/deployments/{deployment_id}/cancel',
        tag,
        summary: 'Cancel a queued or running deployment',
        access: 'operate',
        responses: {
          202: { schema: z.object({ message: z.string(), deployment_id: z.uuid(), requested_at: timestamp }) },
        },
        errors: ['invalid_state'],
      },
      async ({ params, principal }) => {
        await deployments.cancel(params.deployment_id, principal);
        return {
          message: 'The deployment is being cancelled',
          deployment_id: params.deployment_id,
          requested_at: toTimestamp(new Date()),
        };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/deployments/{deployment_id}/logs',
        tag,
        summary: 'The log of a deployment; with `stream=true` as server-sent events',
        access: 'view',
        ticket: true,
        streamWhen: 'stream',
        query: z.object({ stream: queryBoolean(false), since: z.coerce.number().int().min(0).default(0) }),
        responses: {
          200: {
            schema: z.object({ deployment_id: z.uuid(), logs: z.string() }),
            alsoAs: {
              mediaType: 'text/event-stream',
              description: 'With `stream=true`: `progress`, `log` {message, timestamp, seq}, then `complete`',
            },
          },
        },
      },
      async ({ params, query, request, response }) => {
        const { id } = await deployments.get(params.deployment_id);
        const tail = await engine.stream(id);
        if (!query.stream) return { deployment_id: id, logs: await logText(tail) };
        await serveTail(request, response, tail, { since: query.since });
        return undefined;
      },
    ),
  ];
}
