import { z } from 'zod';
import { timestamp, toTimestamp, toTimestampOrNull } from '../../lib/http/routing/formats.ts';
import { listOf, pagingQuery } from '../../lib/http/routing/paging.ts';
import { may, type Role } from '../../lib/http/routing/roles.ts';
import type { Cause as DiagnosedCause } from '../diagnosis/diagnosis.ts';
import { severities } from '../notifications/alert.ts';
import type { Receipt } from '../notifications/notifications.ts';
import { entryKinds, type Incident, incidentStatuses, leaveReasons, type Member } from './incident.ts';
import type { Entry } from './store.ts';

/** What causes are about. */
const scopeKinds = [
  'tenant',
  'version',
  'engine',
  'node',
  'disk',
  'proxy',
  'database_server',
] as const satisfies readonly DiagnosedCause['scope']['kind'][];

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
    cause: z.object({
      code: z.string(),
      params: z
        .record(z.string(), z.string())
        .nullable()
        .meta({ description: 'What the title names; null: the code has none' }),
      scope: z.object({ kind: z.string(), name: z.string() }),
    }),
    remedy: z.string().nullable(),
    opened_at: timestamp,
    acknowledged_at: timestamp.nullable(),
    acknowledged_by: z.string().nullable(),
    resolved_at: timestamp.nullable(),
    duration_seconds: z.int().min(0).meta({ description: 'Until it was resolved, or until now' }),
    reopened: z.int().meta({ description: 'How often it returned within 30 minutes of its end' }),
    in_maintenance: z.boolean().meta({ description: 'Opened during a maintenance window' }),
    tenant_count: z.int(),
    affected_count: z.int().meta({ description: 'Tenants that are still affected' }),
    tenants: z
      .array(tenant)
      .meta({ description: `In lists those still affected, or the first ${maxNamed} of a resolved incident` }),
  })
  .meta({ id: 'IncidentSummary' });

const diagnosis = z
  .object({
    code: z.string(),
    title: z.string(),
    params: z.record(z.string(), z.string()).optional(),
    confidence: z.enum(['certain', 'likely']),
    scope: z.object({ kind: z.string(), name: z.string() }),
    evidence: z.array(z.object({ fact: z.string(), source: z.string(), at: timestamp })),
    consequences: z.array(z.string()),
    remedy: z.object({ text: z.string(), action: z.string().nullable(), link: z.string().nullable() }).nullable(),
  })
  .meta({ id: 'IncidentDiagnosis' });

const entry = z.object({
  at: timestamp,
  kind: z.enum(entryKinds),
  tenant_id: z.uuid().nullable(),
  username: z.string().nullable(),
  text: z.string().nullable(),
  diagnosis: diagnosis.nullable().meta({ description: 'What the diagnosis found then, if this changed the cause' }),
});

const receiptStates = [
  'collected',
  'waiting',
  'sending',
  'delivered',
  'failed',
] as const satisfies readonly Receipt['deliveries'][number]['state'][];

const announcement = z
  .object({
    what: z
      .string()
      .meta({ description: '`opened`, `joined/2`, `reminder/1`, `flapping/2`, `escalated/critical`, `resolved`' }),
    at: timestamp,
    recipients: z
      .object({
        users: z.array(z.string()).meta({ description: 'Users whose inbox shows it' }),
        deliveries: z.array(
          z.object({
            channel: z.string(),
            personal: z.boolean().meta({ description: 'E-mail to one user' }),
            username: z.string().nullable(),
            state: z.enum(receiptStates).meta({ description: '`collected`: it waits for a digest' }),
            at: timestamp.meta({ description: 'The last attempt, or when it is due' }),
          }),
        ),
      })
      .nullable()
      .meta({ description: 'null for viewers' }),
  })
  .meta({ id: 'IncidentAnnouncement' });

export const incidentDetails = summary
  .extend({
    detail: z.string().nullable().meta({ description: 'What exactly was found; null for viewers' }),
    announcements: z.array(announcement).meta({ description: 'Oldest first; kept for 90 days' }),
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
  scope: z
    .string()
    .max(200)
    .transform((text) => text.split(',').map((kind) => kind.trim()))
    .pipe(z.array(z.enum(scopeKinds)))
    .optional()
    .meta({ description: 'Kinds of `cause.scope`, separated by commas, such as `engine,node`; default: all' }),
});

export const noteBody = z.strictObject({ text: z.string().trim().min(1).max(5_000) }).meta({ id: 'IncidentNote' });

/** All that is known about an incident. */
export interface WholeIncident {
  incident: Incident;
  members: Member[];
  timeline: Entry[];
  announcements: Receipt[];
}

/** The cause with the evidence that a role may see. */
export type VisibleTo = (role: Role, cause: DiagnosedCause) => DiagnosedCause;

/** What an announcement was about: `opened` of `incident/<id>/opened`. */
export const subjectOf = ({ key }: Receipt): string => key.split('/').slice(2).join('/');

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
    cause: {
      code: incident.causeCode,
      params: incident.causeParams,
      scope: { kind: incident.scopeKind, name: incident.scopeName },
    },
    remedy: incident.remedy,
    opened_at: toTimestamp(incident.openedAt),
    acknowledged_at: toTimestampOrNull(incident.acknowledgedAt),
    acknowledged_by: incident.acknowledgedBy,
    resolved_at: toTimestampOrNull(incident.resolvedAt),
    duration_seconds: lastedSeconds(incident, now),
    reopened: incident.reopened,
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

const shownRecipients = ({ users, deliveries }: Receipt) => ({
  users,
  deliveries: deliveries.map(({ channel, to, state, at }) => ({
    channel,
    personal: to !== null,
    username: to?.username ?? null,
    state,
    at: toTimestamp(at),
  })),
});

export const shownIncident = (
  { incident, members, timeline, announcements }: WholeIncident,
  { now, role, visibleTo }: { now: Date; role: Role; visibleTo: VisibleTo },
): z.input<typeof incidentDetails> => ({
  ...shown(incident, members, now),
  detail: may(role, 'operate') ? incident.detail : null,
  announcements: announcements.map((receipt) => ({
    what: subjectOf(receipt),
    at: toTimestamp(receipt.at),
    recipients: may(role, 'operate') ? shownRecipients(receipt) : null,
  })),
  timeline: timeline.map(({ at, kind, tenantId, username, text, diagnosis }) => ({
    at: toTimestamp(at),
    kind,
    tenant_id: tenantId,
    username,
    text,
    diagnosis: diagnosis && visibleTo(role, diagnosis),
  })),
});
