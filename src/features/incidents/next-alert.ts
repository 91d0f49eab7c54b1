import { type Incident, isWorse, type Member, returnsWithinMs } from './incident.ts';

/** The next alert about an incident. */
export type NextAlert =
  | { kind: 'none' }
  /** The opening (batch 1), or tenants that joined later. */
  | { kind: 'announce'; batch: number; tenantIds: string[] }
  | { kind: 'remind'; count: number }
  /** It has returned: once after its end was announced, then at most once an hour. */
  | { kind: 'flap'; count: number }
  /** It has become more severe since it was announced: others may want to know. */
  | { kind: 'escalate' }
  | { kind: 'resolve' }
  /** It ended without having been announced. */
  | { kind: 'close' };

export interface AlertRules {
  now: Date;
  /** 0: no reminders. */
  reminderMs: number;
  /** How long an incident that several tenants may join waits for the next one before it is announced. */
  groupingMs: number;
  /** Whether a maintenance window covers a tenant now; null: the manager itself. */
  isInMaintenance(tenantId: string | null): boolean;
}

/** A flapping incident is announced at most this often. In ms. */
const flapMs = 3_600_000;
/** An incident is announced after this many times `groupingMs`, even if tenants still join. */
const maxGroupings = 4;

/**
 * Derives the next alert from what is stored, so that a restarted manager continues: a batch is stored with its tenants before it
 * is sent, and `announced` counts those that were sent. Acknowledged incidents are silent until they are resolved.
 */
export function nextAlert(incident: Incident, members: readonly Member[], rules: AlertRules): NextAlert {
  const { announced, notifiedAt, status } = incident;
  const nothing = { kind: 'none' } as const;
  if (incident.closed) return nothing;
  if (status === 'resolved') {
    if (announced === 0) return { kind: 'close' };
    const resolvedMs = rules.now.getTime() - (incident.resolvedAt?.getTime() ?? 0);
    return incident.reopened > 0 && resolvedMs < returnsWithinMs ? nothing : { kind: 'resolve' };
  }
  if (status === 'acknowledged') return nothing;
  const stored = members.filter(({ batch }) => batch !== null && batch > announced);
  if (stored.length > 0) return announcement(announced + 1, stored);

  const affected = members.filter(({ leftAt }) => leftAt === null);
  const audible = affected.filter(({ tenantId }) => !rules.isInMaintenance(tenantId));
  const ofManager = incident.foundByManager === 'failing' && !rules.isInMaintenance(null);
  if (audible.length === 0 && !ofManager) return nothing;
  const waiting = audible.filter(({ batch }) => batch === null);
  const isNew = waiting.length > 0 || announced === 0;
  if (isNew && isComplete(incident, waiting, rules)) return announcement(announced + 1, waiting);
  if (announced > 0 && isWorse(incident.severity, incident.announcedSeverity ?? incident.severity))
    return { kind: 'escalate' };
  const silentMs = notifiedAt === null ? Number.POSITIVE_INFINITY : rules.now.getTime() - notifiedAt.getTime();
  if (announced > 0 && incident.reopened > incident.announcedReturns && silentMs >= flapMs)
    return { kind: 'flap', count: incident.reopened };
  const isOverdue = notifiedAt !== null && silentMs >= rules.reminderMs;
  return rules.reminderMs > 0 && isOverdue ? { kind: 'remind', count: incident.reminders + 1 } : nothing;
}

const announcement = (batch: number, members: readonly Member[]): NextAlert => ({
  kind: 'announce',
  batch,
  tenantIds: members.map(({ tenantId }) => tenantId),
});

/** Whether all tenants that share the cause have probably joined. */
function isComplete(
  { openedAt, scopeKind }: Incident,
  waiting: readonly Member[],
  { now, groupingMs }: AlertRules,
): boolean {
  if (scopeKind === 'tenant') return true;
  const joined = waiting.map(({ joinedAt }) => joinedAt.getTime());
  const [first, last] = joined.length > 0 ? [Math.min(...joined), Math.max(...joined)] : [0, openedAt.getTime()];
  return now.getTime() - last >= groupingMs || (first > 0 && now.getTime() - first >= groupingMs * maxGroupings);
}
