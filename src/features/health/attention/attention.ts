import type { Clock } from '../../../lib/clock.ts';
import type { OperationSummary } from '../../../lib/operations/operation.ts';
import type { Tenant, Tenants } from '../../tenants/tenants.ts';
import type { Health } from '../health.ts';

export const attentionKinds = [
  'data_missing',
  'unhealthy',
  'not_running',
  'deployment_failed',
  'dns_missing',
  'dns_elsewhere',
  'redirects_to_itself',
  'api_key_refused',
  'degraded',
  'backup_failed',
  'backup_missing',
  'certificate',
  'stopped',
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

/** Something of a tenant that a person should look at. */
export interface AttentionItem {
  kind: AttentionKind;
  tenant: Pick<Tenant, 'id' | 'name' | 'slug'>;
  cause: string;
  /** null: unknown. */
  since: Date | null;
  /** The failed operation. */
  operationId: string | null;
}

/** The tenants for which a newer release is known. */
export interface Behind {
  count: number;
  /** That release; null: not the same for all of them. */
  version: string | null;
}

/** @see ScheduledRun of the backups' schedules */
interface ScheduledRun {
  at: Date;
  attempted: boolean;
}

/** @see UnseenFault of the diagnosis */
interface UnseenFault {
  code: Extract<AttentionKind, 'dns_missing' | 'dns_elsewhere' | 'redirects_to_itself' | 'api_key_refused'>;
  title: string;
  since: Date;
}

interface Stop {
  username: string | null;
  createdAt: Date;
}

export interface AttentionDeps {
  clock: Clock;
  tenants: Pick<Tenants, 'each'>;
  health: Pick<Health, 'lastFindings' | 'recentPeriods'>;
  /** The cause that a diagnosis found in the last minutes; undefined: none was asked for. Reads nothing. */
  lastCause(tenantId: string): string | undefined;
  /** What health checks do not see of a tenant; undefined: nothing was found. */
  unseenFaults(tenantId: string): UnseenFault[];
  /** What is gone of tenants' data, by the tenant's id. */
  missingData(): Promise<Map<string, string>>;
  /** When the last complete backup of each of these tenants was made. */
  lastBackups(tenantIds: readonly string[]): Promise<Map<string, Date>>;
  /** For each of these tenants with a schedule, the last run that must have ended by now. */
  lastScheduledRuns(tenantIds: readonly string[]): Promise<Map<string, ScheduledRun>>;
  /** When each of these tenants was last stopped, and by whom; null: not by a user. */
  lastStops(tenantIds: readonly string[]): Promise<Map<string, Stop>>;
  /** Of each tenant and each of these kinds, the last operation that succeeded or failed. */
  lastOutcomes(kinds: readonly string[]): Promise<OperationSummary[]>;
  /** The release that a tenant could be upgraded to; null: none is known. */
  updateOf(tenant: Tenant): string | null;
}

const changeKinds = ['deploy', 'upgrade', 'move'];
/** Without a schedule: a weekly backup and a day. */
const backupOverdueMs = 8 * 86_400_000;
/** A tenant has its first backup after a night. */
const firstBackupMs = 86_400_000;
/** A tenant that is stopped for longer, or since before the audit log’s first entry, was stopped on purpose. */
const stoppedByMistakeMs = 7 * 86_400_000;

export type Attention = ReturnType<typeof createAttention>;

/** Collects what needs attention from the facts of other features; it keeps none of its own. */
export function createAttention(deps: AttentionDeps) {
  const { clock, health } = deps;

  /** The items, the most urgent first, and apart from them the tenants that are behind. */
  async function collect(): Promise<{ items: AttentionItem[]; behind: Behind | null }> {
    const tenants: Tenant[] = [];
    for await (const tenant of deps.tenants.each()) tenants.push(tenant);
    const deployed = tenants.filter((tenant) => tenant.deployed).map(({ id }) => id);
    const [gone, outcomes, lastBackups, lastRuns, stops] = await Promise.all([
      deps.missingData(),
      deps.lastOutcomes([...changeKinds, 'backup']),
      deps.lastBackups(deployed),
      deps.lastScheduledRuns(deployed),
      deps.lastStops(tenants.filter(({ status }) => status === 'stopped').map(({ id }) => id)),
    ]);
    const failedChanges = lastFailures(outcomes.filter(({ kind }) => kind !== 'backup'));
    const failedBackups = lastFailures(outcomes.filter(({ kind }) => kind === 'backup'));
    const items = tenants.flatMap((tenant) => [
      ...ofMissing(tenant, gone.get(tenant.id)),
      ...ofOperation('deployment_failed', tenant, failedChanges.get(tenant.id)),
      ...(tenant.deployed
        ? [
            ...ofState(tenant, stops.get(tenant.id)),
            ...ofBackups(tenant, {
              failed: failedBackups.get(tenant.id),
              last: lastBackups.get(tenant.id),
              lastRun: lastRuns.get(tenant.id),
            }),
          ]
        : []),
    ]);
    return { items: items.sort(byUrgency), behind: behindOf(tenants) };
  }

  function behindOf(tenants: readonly Tenant[]): Behind | null {
    const releases = tenants.map(deps.updateOf).filter((release) => release !== null);
    const [version] = releases;
    if (version === undefined) return null;
    return { count: releases.length, version: releases.every((release) => release === version) ? version : null };
  }

  const item = (kind: AttentionKind, { id, name, slug }: Tenant, cause: string, since: Date | null): AttentionItem => ({
    kind,
    tenant: { id, name, slug },
    cause,
    since,
    operationId: null,
  });

  const ofMissing = (tenant: Tenant, what: string | undefined): AttentionItem[] =>
    what === undefined ? [] : [item('data_missing', tenant, `The data is gone: ${what} does not exist`, null)];

  function ofState(tenant: Tenant, stop: Stop | undefined): AttentionItem[] {
    const { status, healthStatus, healthSince, healthDetails } = tenant;
    if (status === 'stopped') {
      if (!stop || clock.now().getTime() - stop.createdAt.getTime() > stoppedByMistakeMs) return [];
      const cause = stop.username ? `${stop.username} stopped the services` : 'Visitors see an error page';
      return [item('stopped', tenant, cause, stop.createdAt)];
    }
    const findings = health.lastFindings(tenant.id);
    const certificate = findings?.certificate ? [item('certificate', tenant, findings.certificate, null)] : [];
    const diagnosed = deps.lastCause(tenant.id);
    if (status === 'error')
      return [item('not_running', tenant, diagnosed ?? 'Its services do not run', healthSince), ...certificate];
    if (healthStatus !== 'unhealthy' && healthStatus !== 'degraded') {
      const unseen = deps.unseenFaults(tenant.id);
      return [...unseen.map(({ code, title, since }) => item(code, tenant, title, since)), ...certificate];
    }
    const failed = findings?.problems.join('; ') || storedProblems(healthDetails);
    // It is degraded because of its certificate alone.
    if (healthStatus === 'degraded' && findings?.certificate && !failed) return certificate;
    const cause = diagnosed ?? (failed || 'A health check failed');
    return [item(healthStatus, tenant, cause, healthSince), ...certificate];
  }

  function ofOperation(kind: AttentionKind, tenant: Tenant, failed: OperationSummary | undefined): AttentionItem[] {
    if (!failed) return [];
    const cause = failed.error ? `${failed.error.step}: ${failed.error.message}` : 'It failed';
    return [{ ...item(kind, tenant, cause, failed.finishedAt), operationId: failed.id }];
  }

  function ofBackups(tenant: Tenant, { failed, last, lastRun }: BackupFacts): AttentionItem[] {
    // A later backup of another kind is as good.
    if (failed && (!last || last < failed.createdAt)) return ofOperation('backup_failed', tenant, failed);
    const now = clock.now().getTime();
    if (last && lastRun && last >= lastRun.at) return [];
    if (lastRun && !lastRun.attempted)
      return [item('backup_missing', tenant, 'The scheduled backup was not made', lastRun.at)];
    if (!last && now - (tenant.deployedAt?.getTime() ?? now) > firstBackupMs)
      return [item('backup_missing', tenant, 'There is no backup', tenant.deployedAt)];
    if (last && now - last.getTime() > backupOverdueMs)
      return [item('backup_missing', tenant, 'The last backup is more than eight days old', last)];
    return [];
  }

  return { collect, periods: () => health.recentPeriods() };
}

interface BackupFacts {
  failed: OperationSummary | undefined;
  last: Date | undefined;
  lastRun: ScheduledRun | undefined;
}

/** What the last stored check found: the manager has just started, and its own checks follow. */
const storedProblems = (details: Tenant['healthDetails']): string =>
  Object.entries(details ?? {})
    .filter(([, state]) => state === 'down' || state === 'degraded')
    .map(([check, state]) => `${check}: ${String(state)}`)
    .join('; ');

/** By tenant, the newest of these operations where it failed. */
function lastFailures(outcomes: readonly OperationSummary[]): Map<string, OperationSummary> {
  const newest = new Map<string, OperationSummary>();
  for (const outcome of outcomes) {
    const known = newest.get(outcome.subject);
    if (!known || known.createdAt < outcome.createdAt) newest.set(outcome.subject, outcome);
  }
  return new Map([...newest].filter(([, { status }]) => status === 'failed'));
}

/** In the order of the kinds; of the same kind, the newest first. */
const byUrgency = (one: AttentionItem, other: AttentionItem): number =>
  attentionKinds.indexOf(one.kind) - attentionKinds.indexOf(other.kind) ||
  (other.since?.getTime() ?? 0) - (one.since?.getTime() ?? 0) ||
  one.tenant.name.localeCompare(other.tenant.name);
