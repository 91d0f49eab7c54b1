import { z } from 'zod';
import { isVersionTag } from '../../../adapters/git/versions.ts';
import { timestamp, toTimestamp, toTimestampOrNull } from '../../../lib/http/routing/formats.ts';
import { listOf, pagingQuery } from '../../../lib/http/routing/paging.ts';
import { tenantFilter, tenantIds } from '../../tenants/tenants.ts';
import { fleetStatuses, memberStatuses } from './fleet.ts';
import type { Assignment, Candidate } from './rollout/plan.ts';
import { ringIssues } from './rollout/rings.ts';
import type { Fleet, Member, MemberCounts } from './store.ts';

const ringSize = z.union([z.int().min(1).max(100_000), z.string().regex(/^(?:100|[1-9]\d?)%$/)], {
  error: 'must be a number of tenants (1 to 100000) or a percentage ("1%" to "100%")',
});

const version = z.string().trim().max(100).refine(isVersionTag, 'must be a version tag such as v1.2.3');

export const fleetBody = z
  .strictObject({
    target_version: version,
    tenant_ids: tenantIds.optional().meta({ description: 'The tenants, in the order in which they are upgraded' }),
    filter: z
      .strictObject({
        ...tenantFilter,
        version: z.string().max(100).optional().meta({ description: 'The version deployed now' }),
      })
      .optional()
      .meta({ description: 'Selects the tenants, ordered by slug; empty: all tenants' }),
    rings: z
      .array(ringSize)
      .min(1)
      .max(20)
      .default([1, '10%', '100%'])
      .meta({
        description:
          'How many tenants are upgraded by the end of each ring, earlier rings included: a number of tenants, or a ' +
          'percentage of them, rounded up. Tenants after the last ring are skipped.',
      }),
    max_failures: z.int().min(0).max(10_000).default(0).meta({ description: 'One failure more halts it' }),
    pause_between_s: z
      .int()
      .min(0)
      .max(604_800)
      .default(0)
      .meta({ description: 'Seconds from the end of a ring to the start of the next' }),
    backup_db: z.boolean().default(true),
    run_migrations: z.boolean().default(true),
    retry_failed: z
      .boolean()
      .default(false)
      .meta({ description: 'Include tenants for which an upgrade to this version failed before' }),
  })
  .check(({ value, issues }) => {
    if ((value.tenant_ids === undefined) === (value.filter === undefined))
      issues.push({
        code: 'custom',
        path: ['tenant_ids'],
        message: 'Set either tenant_ids or filter to choose the tenants ({"filter": {}}: all tenants)',
        input: value,
      });
    for (const { path, message } of ringIssues(value.rings))
      issues.push({ code: 'custom', path: path.split('.'), message, input: value.rings });
  })
  .meta({ id: 'NewFleetUpgrade' });

export const fleetsQuery = pagingQuery().extend({ status: z.enum(fleetStatuses).optional() });

const summary = z
  .object({
    id: z.uuid(),
    target_version: z.string(),
    status: z.enum(fleetStatuses),
    reason: z.string().nullable().meta({ description: 'Why it was halted' }),
    rings: z.array(z.union([z.int(), z.string()])),
    current_ring: z.int().meta({ description: 'From 1' }),
    next_ring_at: timestamp.nullable().meta({ description: 'When the pause between two rings ends' }),
    max_failures: z.int(),
    pause_between_s: z.int(),
    backup_db: z.boolean(),
    run_migrations: z.boolean(),
    retry_failed: z.boolean(),
    counts: z.object({
      total: z.int(),
      waiting: z.int(),
      upgrading: z.int(),
      succeeded: z.int(),
      failed: z.int(),
      skipped: z.int(),
    }),
    created_by: z.string(),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'FleetUpgradeSummary' });

export const fleetList = listOf('upgrades', summary).meta({ id: 'FleetUpgradeList' });

const member = z
  .object({
    tenant_id: z.uuid(),
    slug: z.string(),
    ring: z.int().nullable().meta({ description: 'From 1; null: skipped from the start' }),
    status: z.enum(memberStatuses),
    reason: z.string().nullable().meta({ description: 'Why it was skipped, failed, or can’t start yet' }),
    from_version: z.string().nullable(),
    deployment_id: z
      .uuid()
      .nullable()
      .meta({ description: 'Its upgrade, with log, stream and cancel like a deployment' }),
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'FleetUpgradeTenant' });

export const fleetAnswer = summary.extend({ tenants: z.array(member) }).meta({ id: 'FleetUpgrade' });

const planned = z.object({ tenant_id: z.uuid(), slug: z.string(), from_version: z.string().nullable() });

export const fleetPlan = z
  .object({
    dry_run: z.literal(true),
    target_version: z.string(),
    rings: z.array(z.object({ ring: z.int(), tenants: z.array(planned) })),
    skipped: z.array(planned.extend({ reason: z.string() })),
  })
  .meta({ id: 'FleetUpgradePlan' });

export function shownSummary(fleet: Fleet, counts: MemberCounts): z.input<typeof summary> {
  const { options } = fleet;
  const { waiting = 0, upgrading = 0, succeeded = 0, failed = 0, skipped = 0 } = counts;
  const total = waiting + upgrading + succeeded + failed + skipped;
  return {
    id: fleet.id,
    target_version: options.targetVersion,
    status: fleet.status,
    reason: fleet.reason,
    rings: [...options.rings],
    current_ring: fleet.ring + 1,
    next_ring_at: toTimestampOrNull(fleet.nextRingAt),
    max_failures: options.maxFailures,
    pause_between_s: options.pauseBetweenS,
    backup_db: options.backupDb,
    run_migrations: options.runMigrations,
    retry_failed: options.retryFailed,
    counts: { total, waiting, upgrading, succeeded, failed, skipped },
    created_by: fleet.createdBy.username,
    created_at: toTimestamp(fleet.createdAt),
    started_at: toTimestampOrNull(fleet.startedAt),
    finished_at: toTimestampOrNull(fleet.finishedAt),
  };
}

export function shownFleet(fleet: Fleet, members: readonly Member[]): z.input<typeof fleetAnswer> {
  const counts: MemberCounts = {};
  for (const { status } of members) counts[status] = (counts[status] ?? 0) + 1;
  return { ...shownSummary(fleet, counts), tenants: members.map(shownMember) };
}

const shownMember = (row: Member): z.input<typeof member> => ({
  tenant_id: row.tenantId,
  slug: row.slug,
  ring: row.ring === null ? null : row.ring + 1,
  status: row.status,
  reason: row.reason,
  from_version: row.fromVersion,
  // The id is saved before the upgrade starts: a waiting tenant has no deployment yet.
  deployment_id: row.status === 'waiting' || row.status === 'skipped' ? null : row.operationId,
  started_at: toTimestampOrNull(row.beganAt),
  finished_at: toTimestampOrNull(row.endedAt),
});

export function shownPlan(
  targetVersion: string,
  rings: number,
  assigned: readonly { candidate: Candidate; assignment: Assignment }[],
): z.input<typeof fleetPlan> {
  const shown = ({ tenantId, slug, deployed }: Candidate) => ({
    tenant_id: tenantId,
    slug,
    from_version: deployed?.version ?? null,
  });
  return {
    dry_run: true,
    target_version: targetVersion,
    rings: Array.from({ length: rings }, (_, index) => ({
      ring: index + 1,
      tenants: assigned.flatMap(({ candidate, assignment }) => (assignment.ring === index ? [shown(candidate)] : [])),
    })),
    skipped: assigned.flatMap(({ candidate, assignment: { reason } }) =>
      reason === null ? [] : [{ ...shown(candidate), reason }],
    ),
  };
}
