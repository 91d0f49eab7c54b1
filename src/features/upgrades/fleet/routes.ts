import { z } from 'zod';
import { queryBoolean } from '../../../lib/http/routing/formats.ts';
import { defineRoute, type Route, reply } from '../../../lib/http/routing/route.ts';
import type { FleetPlanOptions } from './fleet.ts';
import {
  fleetAnswer,
  fleetBody,
  fleetList,
  fleetPlan,
  fleetsQuery,
  shownFleet,
  shownPlan,
  shownSummary,
} from './schema.ts';
import type { FleetService } from './service.ts';

const tag = 'Upgrades';

const optionsOf = (body: z.output<typeof fleetBody>): FleetPlanOptions => ({
  targetVersion: body.target_version,
  rings: body.rings,
  maxFailures: body.max_failures,
  pauseBetweenS: body.pause_between_s,
  backupDb: body.backup_db,
  runMigrations: body.run_migrations,
  retryFailed: body.retry_failed,
});

const choiceOf = ({ tenant_ids: tenantIds, filter = {} }: z.output<typeof fleetBody>) =>
  tenantIds === undefined ? { filter } : { tenantIds };

export function fleetRoutes(fleets: FleetService): Route[] {
  return [
    defineRoute(
      {
        method: 'post',
        path: '/api/upgrades',
        tag,
        summary: 'Upgrade many tenants, ring by ring',
        description:
          'Upgrades each tenant like `POST /api/tenants/{id}/upgrade`, at most `deployment_concurrency` (a setting) at a time. ' +
          'A ring starts when all upgrades of the previous ring have ended, `pause_between_s` has passed and its tenants are ' +
          'still healthy. More than `max_failures` failures halt the fleet upgrade: running upgrades finish, waiting tenants ' +
          'keep waiting. Tenants are skipped, with the reason, if they are not deployed, already run the version or a newer ' +
          'one, have no such version in their repository, failed to upgrade to it before (unless `retry_failed`), or are in ' +
          'another fleet upgrade. `dry_run=true` returns the ring of each tenant.',
        access: 'operate',
        query: z.object({ dry_run: queryBoolean(false) }),
        body: fleetBody,
        responses: {
          200: { schema: fleetPlan, description: 'With `dry_run=true`: the plan' },
          202: { schema: fleetAnswer },
        },
        errors: ['not_found'],
      },
      async ({ query, body, principal }) => {
        const [choice, options] = [choiceOf(body), optionsOf(body)];
        if (query.dry_run)
          return reply(200, shownPlan(options.targetVersion, options.rings.length, await fleets.plan(choice, options)));
        const { fleet, members } = await fleets.create(choice, options, principal);
        return reply(202, shownFleet(fleet, members));
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/upgrades',
        tag,
        summary: 'List fleet upgrades',
        description: 'Newest first.',
        access: 'view',
        query: fleetsQuery,
        responses: { 200: { schema: fleetList } },
      },
      async ({ query: { status, limit, offset } }) => {
        const { items, total } = await fleets.list({ status }, { limit, offset });
        return { upgrades: items.map(({ fleet, counts }) => shownSummary(fleet, counts)), total, limit, offset };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/upgrades/{id}',
        tag,
        summary: 'One fleet upgrade and its tenants',
        access: 'view',
        responses: { 200: { schema: fleetAnswer } },
        errors: ['not_found'],
      },
      async ({ params }) => {
        const { fleet, members } = await fleets.get(params.id);
        return shownFleet(fleet, members);
      },
    ),
    action('pause', fleets.pause, {
      summary: 'Pause a fleet upgrade',
      description: 'Starts no more upgrades until it is resumed. Running upgrades finish.',
      status: 200,
    }),
    action('resume', fleets.resume, {
      summary: 'Resume a fleet upgrade after a pause or a halt',
      description:
        'After a halt, the failures so far are accepted: it halts again after more than `max_failures` new failures. It does ' +
        'not retry failed tenants; to retry them, create a new fleet upgrade with `retry_failed`.',
      status: 202,
    }),
    action('cancel', fleets.cancel, {
      summary: 'Cancel a fleet upgrade',
      description:
        'Skips waiting tenants. Running upgrades finish (to cancel one, use `POST ' +
        '/api/deployments/{deployment_id}/cancel`), and upgraded tenants stay upgraded.',
      status: 202,
    }),
  ];
}

function action(
  name: 'pause' | 'resume' | 'cancel',
  act: FleetService['pause'],
  { status, ...texts }: { summary: string; description: string; status: 200 | 202 },
): Route {
  return defineRoute(
    {
      method: 'post',
      path: `/api/upgrades/{id}/${name}`,
      tag,
      ...texts,
      access: 'operate',
      responses: { [status]: { schema: fleetAnswer } },
      errors: ['not_found', 'invalid_state'],
    },
    async ({ params, principal }) => {
      const { fleet, members } = await act(params.id, principal);
      return shownFleet(fleet, members);
    },
  );
}
