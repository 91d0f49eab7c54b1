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
        summary: 'Upgrade many tenants, ring after ring',
        description:
          'Each tenant is upgraded as by `POST /api/tenants/{id}/upgrade`, within a ring as many at a time as the setting ' +
          '`deployment_concurrency` says. A ring begins when all of the one before have ended, `pause_between_s` have passed ' +
          'and its tenants are still healthy. One failure more than `max_failures` halts it: what is under way ends, what waits ' +
          'is left as it is. Skipped, with the reason: tenants that are not deployed, run the version or a newer one, whose ' +
          'repository lacks it, for which it has failed before (unless `retry_failed`), and those in another fleet upgrade. ' +
          '`dry_run=true` shows which tenant would come where.',
        access: 'operate',
        query: z.object({ dry_run: queryBoolean(false) }),
        body: fleetBody,
        responses: {
          200: { schema: fleetPlan, description: 'What it would do (`dry_run=true`)' },
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
      summary: 'Begin nothing more until resumed',
      description: 'Upgrades under way go on to their end.',
      status: 200,
    }),
    action('resume', fleets.resume, {
      summary: 'Go on after a pause or a halt',
      description:
        'After a halt the failures so far are accepted: it halts again when more than `max_failures` follow. Failed tenants are ' +
        'not tried again; a new fleet upgrade with `retry_failed` does that.',
      status: 202,
    }),
    action('cancel', fleets.cancel, {
      summary: 'Begin nothing more, for good',
      description:
        'Upgrades under way go on to their end (one can be cancelled as a deployment: `POST ' +
        '/api/deployments/{deployment_id}/cancel`); tenants that wait are skipped. Those upgraded already stay so.',
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
