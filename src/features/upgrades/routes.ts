import { z } from 'zod';
import { errorOf } from '../../lib/errors.ts';
import { acceptedResponse, answerOrAccept } from '../../lib/http/responses/accepted-response.ts';
import { pagingQuery } from '../../lib/http/routing/paging.ts';
import { defineRoute, type Route, reply } from '../../lib/http/routing/route.ts';
import { operationHandle } from '../../lib/operations/operation-handle.ts';
import { rehearsalAnswer, reportBody, shownRehearsal, shownReport } from './rehearsal/rehearsal-schema.ts';
import type { Rehearse } from './rehearsal/rehearsal-service.ts';
import {
  shownAvailable,
  shownBranch,
  shownUpgrade,
  shownVersion,
  upgradeAnswer,
  upgradeBody,
  upgradeQuery,
  versionBody,
  versionsBody,
} from './schema.ts';
import type { Upgrades } from './single/service.ts';

const tag = 'Upgrades';

export function upgradeRoutes(upgrades: Upgrades, rehearse: Rehearse): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/version',
        tag,
        summary: 'What a tenant runs, and the latest there is',
        description:
          'A repository without version tags has commits alone. `upgrade_available` also where the deployed tag was moved to another commit.',
        access: 'operate',
        responses: { 200: { schema: versionBody } },
        errors: ['git_error', 'runtime_unavailable'],
      },
      async ({ params }) => shownVersion(await upgrades.version(params.id)),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/versions',
        tag,
        summary: 'What can be deployed to a tenant: versions, highest first, and branches',
        description:
          'Version tags go to `deploy` and `upgrade` as `target_version`; branches, and commits of either, to `deploy` as `target_ref`.',
        access: 'operate',
        query: pagingQuery(),
        responses: { 200: { schema: versionsBody } },
        errors: ['git_error'],
      },
      async ({ params, query }) => {
        const { versions, branches } = await upgrades.versions(params.id);
        const page = versions.slice(query.offset, query.offset + query.limit);
        return {
          versions: page.map(shownAvailable),
          branches: branches.map(shownBranch),
          total: versions.length,
          ...query,
        };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/upgrade/{deployment_id}',
        tag,
        summary: 'What became of an upgrade or a rehearsal',
        description: 'What its own answer says or would have said, also long after.',
        access: 'view',
        responses: { 200: { schema: reportBody } },
      },
      async ({ params }) => shownReport(await upgrades.report(params.id, params.deployment_id)),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/upgrade',
        tag,
        summary: 'Upgrade a tenant',
        description:
          'Answers when the new version is proven healthy; a client that hangs up does not end it. Its progress is a deployment of kind `upgrade`, with its stream, log and cancel. The version is fetched and built before the services are stopped: where that fails, nothing was changed. Whatever fails later, or is cancelled, is rolled back (code, environment and, where migrations ran, the database): 502 `upgrade_failed`, whose detail says what failed and what became of the tenant. A tenant that was stopped is started for the health check and stopped again. With `backup_db` false a backup is made all the same before migrations, as they could not be taken back without; it is not shown as `backup_path`. With `rehearse=true` nothing of that happens: the migrations run on a copy of the database, which is removed again, and the answer is what they did; a version that fails there is a 200 with `ok` false.',
        access: 'operate',
        query: upgradeQuery,
        body: upgradeBody,
        responses: {
          200: { schema: z.union([upgradeAnswer, rehearsalAnswer]) },
          202: acceptedResponse,
        },
        errors: [
          'operation_in_progress',
          'not_deployed',
          'already_latest',
          'downgrade_refused',
          'invalid_state',
          'upgrade_failed',
          'git_error',
          'insufficient_storage',
          'runtime_unavailable',
        ],
      },
      async ({ params, query, body, principal }) => {
        if (query.rehearse) {
          const request = { targetVersion: body.target_version, allowDowngrade: body.allow_downgrade };
          return answerOrAccept(await rehearse(params.id, request, principal), query.wait, (end) =>
            reply(200, shownRehearsal(end)),
          );
        }
        const { id } = await upgrades.begin(
          params.id,
          {
            targetVersion: body.target_version,
            backupDb: body.backup_db,
            runMigrations: body.run_migrations,
            allowDowngrade: body.allow_downgrade,
          },
          principal,
        );
        return answerOrAccept(operationHandle(id, upgrades.outcome(id)), query.wait, (outcome) => {
          if (outcome.status !== 'success') throw errorOf(outcome.code, outcome.reason);
          return reply(200, shownUpgrade(outcome));
        });
      },
    ),
  ];
}
