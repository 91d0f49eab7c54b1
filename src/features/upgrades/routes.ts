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
import type { UpgradeService } from './single/service.ts';

const tag = 'Upgrades';

export function upgradeRoutes(upgrades: UpgradeService, rehearse: Rehearse): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/version',
        tag,
        summary: 'The deployed and the latest version of a tenant',
        description:
          'Without version tags in the repository, only commits are returned. `upgrade_available` is also true if the deployed tag was moved to another commit.',
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
        summary: 'The versions, highest first, and branches that can be deployed to a tenant',
        description:
          'Pass version tags to `deploy` and `upgrade` as `target_version`; pass branches and commits to `deploy` as `target_ref`.',
        access: 'operate',
        query: pagingQuery(),
        responses: { 200: { schema: versionsBody } },
        errors: ['git_error'],
      },
      async ({ params, query }) => {
        const { versions, total, branches } = await upgrades.versions(params.id, query);
        return { versions: versions.map(shownAvailable), branches: branches.map(shownBranch), total, ...query };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/upgrade/{deployment_id}',
        tag,
        summary: 'The result of an upgrade or a rehearsal',
        description: 'The same result as in the response of the request that started it; it stays available later.',
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
          'Responds when the new version is proven healthy; the upgrade continues if the client disconnects. Its progress is a deployment of kind `upgrade`, with stream, log and cancel. The version is fetched and built before the services are stopped; if that fails, nothing was changed. A later failure or a cancellation is rolled back (code, environment and, if migrations ran, the database): 502 `upgrade_failed`, with what failed and the tenant’s state in the detail. A stopped tenant is started for the health check and stopped again. With `backup_db` false, a backup is still made before migrations because a rollback needs it; it is not returned as `backup_path`. With `rehearse=true` the tenant is not changed: the migrations run on a temporary copy of the database, and the response reports the result; a version that fails there returns 200 with `ok` false.',
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
