import { z } from 'zod';
import { timestamp, toTimestamp, toTimestampOrNull } from '../../lib/http/routing/formats.ts';
import { listOf, pagingQuery } from '../../lib/http/routing/paging.ts';
import { severities } from '../notifications/alert.ts';
import { entryKinds, type Incident, incidentStatuses, leaveReasons, type Member } from './incident.ts';
import type { Entry } from './store.ts';

/** Recovered tenants named in a list. */
const maxNamed = 5;

const tenant = z.object({
  id: z.uuid(),
  slug: z.string(),
  name: z.string(),
  joined_at: timestamp,
  left_at: timestamp.nullable().meta({ description: 'null: still affected' }),
  left_reason: z.enum(leaveReasons).nullable(),
});

const summary = z
  .object({
    id: z.uuid(),
    status: z.enum(incidentStatuses),
    severity: z.enum(severities),
    title: z.string().meta({ description: 'The cause' }),
    cause: z.object({ code: z.string(), scope: z.object({ kind: z.string(), name: z.string() }) }),
    remedy: z.string().nullable(),
    opened_at: timestamp,
    acknowledged_at: timestamp.nullable(),
    acknowledged_by: z.string().nullable(),
    resolved_at: timestamp.nullable(),
    duration_seconds: z.int().min(0).meta({ description: 'Until it was resolved, or until now' }),
    in_maintenance: z.boolean().meta({ description: 'Opened during a maintenance window' }),
    tenant_count: z.int(),
    affected_count: z.int().meta({ description: 'Tenants that are still affected' }),
    tenants: z
      .array(tenant)
      .meta({ description: `In lists those still affected, or the first ${maxNamed} of a resolved incident` }),
  })
  .meta({ id: 'IncidentSummary' });

const entry = z.object({
  at: timestamp,
  kind: z.enum(entryKinds),
  tenant_id: z.uuid().nullable(),
  username: z.string().nullable(),
  text: z.string().nullable(),
});

export const incidentDetails = summary
  .extend({
    detail: z.string().nullable().meta({ description: 'What exactly was found; null for viewers' }),
    timeline: z.array(entry).meta({ description: 'Oldest first' }),
  })
  .meta({ id: 'Incident' });

export const incidentList = listOf('incidents', summary)
  .extend({ open_count: z.int().meta({ description: 'Incidents that are not resolved, without the filter' }) })
  .meta({ id: 'IncidentList' });

export const incidentQuery = pagingQuery().extend({
  status: z
    .enum(['unresolved', ...incidentStatuses])
    .optional()
    .meta({ description: '`unresolved`: open or acknowledged' }),
  tenant_id: z.string().optional().meta({ description: 'Incidents that affect or affected this tenant' }),
});

export const noteBody = z.strictObject({ text: z.string().trim().min(1).max(5_000) }).meta({ id: 'IncidentNote' });

/** All that is known about an incident. */
export interface WholeIncident {
  incident: Incident;
  members: Member[];
  timeline: Entry[];
}

/** Seconds until it was resolved, or until now. */
export const lastedSeconds = ({ openedAt, resolvedAt }: Incident, now: Date): number =>
  Math.max(0, Math.round(((resolvedAt ?? now).getTime() - openedAt.getTime()) / 1_000));

const shownTenant = (member: Member): z.input<typeof tenant> => ({
  id: member.tenantId,
  slug: member.slug,
  name: member.name,
  joined_at: toTimestamp(member.joinedAt),
  left_at: toTimestampOrNull(member.leftAt),
  left_reason: member.leftReason,
});

function shown(incident: Incident, members: readonly Member[], now: Date): z.input<typeof summary> {
  const affected = members.filter(({ leftAt }) => leftAt === null);
  return {
    id: incident.id,
    status: incident.status,
    severity: incident.severity,
    title: incident.title,
    cause: { code: incident.causeCode, scope: { kind: incident.scopeKind, name: incident.scopeName } },
    remedy: incident.remedy,
    opened_at: toTimestamp(incident.openedAt),
    acknowledged_at: toTimestampOrNull(incident.acknowledgedAt),
    acknowledged_by: incident.acknowledgedBy,
    resolved_at: toTimestampOrNull(incident.resolvedAt),
    duration_seconds: lastedSeconds(incident, now),
    in_maintenance: incident.inMaintenance,
    tenant_count: members.length,
    affected_count: affected.length,
    tenants: [...affected, ...members.filter(({ leftAt }) => leftAt !== null)].map(shownTenant),
  };
}

export function shownSummary(incident: Incident, members: readonly Member[], now: Date): z.input<typeof summary> {
  const { tenants, ...rest } = shown(incident, members, now);
  return { ...rest, tenants: tenants.slice(0, rest.affected_count || maxNamed) };
}

export const shownIncident = (
  { incident, members, timeline }: WholeIncident,
  now: Date,
  isOperator: boolean,
): z.input<typeof incidentDetails> => ({
  ...shown(incident, members, now),
  detail: isOperator ? incident.detail : null,
  timeline: timeline.map(({ at, kind, tenantId, username, text }) => ({
    at: toTimestamp(at),
    kind,
    tenant_id: tenantId,
    username,
    text,
  })),
});
