import { z } from 'zod';
import { type LogTopic, logTopics } from '../../adapters/events/audit-log-entry.ts';
import type { NewestOf } from '../../adapters/store/newest.ts';
import type { OperationRecord } from '../../lib/operations/operation.ts';
import type { AuditLog } from '../audit-log/audit-log.ts';
import type { IncidentChange, Incidents } from '../incidents/incidents.ts';
import type { Link, TimelineKind } from './schema.ts';
import type { SourceEntry, TimelineSource } from './service.ts';

/** Details of audit entries that name what they are about. */
const logLinks = [
  ['fleet_id', 'fleet_upgrade'],
  ['job_id', 'import'],
] as const satisfies [string, Link['type']][];

const logDetails = z.object({
  username: z.string().optional().catch(undefined),
  created_by: z.string().optional().catch(undefined),
  filename: z.string().optional().catch(undefined),
});

/** What viewers see on other pages, too, without users. */
const topicsForViewers: ReadonlySet<LogTopic> = new Set(['health']);

/** Entries of the audit log that have a topic. */
export function logSource(auditLog: Pick<AuditLog, 'newest'>): TimelineSource {
  return async ({ kinds, tenantId: subject, includesAudit, ...range }) => {
    const groups = logTopics.filter((topic) => kinds.has(topic) && (includesAudit || topicsForViewers.has(topic)));
    const rows = await auditLog.newest({ groups, subject, ...numbered(range) });
    return rows.map(({ seq, tenantId, tenantSlug, level, topic, message, details, createdAt }) => {
      const { username, created_by: createdBy, filename } = logDetails.parse(details);
      return {
        id: String(seq),
        at: createdAt,
        kind: topic as LogTopic,
        severity: level,
        outcome: null,
        title: message,
        detail: filename ?? null,
        tenant: tenantId === null ? null : { id: tenantId, name: tenantSlug },
        user: username ?? createdBy ?? null,
        link: linkOf(details),
      };
    });
  };
}

function linkOf(details: Record<string, unknown>): Link | null {
  for (const [field, type] of logLinks) {
    const id = details[field];
    if (typeof id === 'string') return { type, id };
  }
  return null;
}

interface Operation {
  kind: TimelineKind;
  link: Link['type'];
  /** @param goal the version or commit */
  name(goal?: string): string;
}

/** Operations of tenants, by their kind. */
const operations: Readonly<Record<string, Operation>> = {
  deploy: {
    kind: 'deployment',
    link: 'deployment',
    name: (goal) => (goal ? `Deployment to ${goal}` : 'Deployment'),
  },
  move: { kind: 'deployment', link: 'deployment', name: () => 'Move to another runtime' },
  upgrade: { kind: 'upgrade', link: 'deployment', name: (goal) => (goal ? `Upgrade to ${goal}` : 'Upgrade') },
  rehearsal: { kind: 'upgrade', link: 'deployment', name: () => 'Rehearsal of an upgrade' },
  proxy: { kind: 'proxy', link: 'deployment', name: () => 'Update of the reverse proxy' },
  backup: { kind: 'backup', link: 'backup', name: () => 'Backup' },
  restore: { kind: 'backup', link: 'deployment', name: () => 'Restore of a backup' },
  drill: { kind: 'backup', link: 'deployment', name: () => 'Restore drill' },
};

const endings = {
  queued: (what: string) => `${what} is waiting`,
  running: (what: string) => `${what} is running`,
  success: (what: string) => `${what} succeeded`,
  failed: (what: string) => `${what} failed`,
  cancelled: (what: string) => `${what} was cancelled`,
} as const satisfies Record<OperationRecord['status'], (what: string) => string>;

const version = z.object({ version: z.string().nullable().catch(null), commit: z.string().optional() }).optional();
const operationInput = z.object({
  createdBy: z.string().optional(),
  id: z.string().optional(),
  target: version.catch(undefined),
});
const operationState = z.object({
  release: version.catch(undefined),
  differences: z.array(z.string()).default([]).catch([]),
});

/** Operations of some kinds, newest first. */
export interface OperationJournal {
  newest(asked: NewestOf): Promise<OperationRecord[]>;
}

/** Deployments, upgrades, backups and other operations of tenants, at the time at which they were requested. */
export function operationSource(journal: OperationJournal): TimelineSource {
  return async ({ kinds, tenantId: subject, includesAudit, ...range }) => {
    const groups = Object.keys(operations).filter((name) => kinds.has(operations[name]?.kind ?? 'incident'));
    const found = (await journal.newest({ groups, subject, ...range })).map(entryOfOperation);
    // Who requested an operation is only in the audit log.
    return includesAudit ? found : found.map((entry) => ({ ...entry, user: null }));
  };
}

function entryOfOperation({ id, kind, subject, status, input, state, error, createdAt }: OperationRecord): SourceEntry {
  const known = operations[kind];
  if (!known) throw new Error(`Timelines have no operations of the kind ${kind}`);
  const { createdBy, id: newBackup, target: wanted } = operationInput.safeParse(input).data ?? {};
  const { release, differences = [] } = operationState.safeParse(state).data ?? {};
  const target = wanted ?? release;
  const goal = target?.version ?? target?.commit?.slice(0, 12);
  const isDamaged = differences.length > 0;
  return {
    id,
    at: createdAt,
    kind: known.kind,
    severity: isDamaged ? 'critical' : status === 'failed' ? 'error' : 'info',
    outcome: status,
    title: isDamaged ? 'Restore drill found differences: the backup is not intact' : endings[status](known.name(goal)),
    detail: isDamaged ? differences.join('; ') : error && `${error.step}: ${error.message}`,
    tenant: { id: subject },
    user: createdBy ?? null,
    link: { type: known.link, id: known.link === 'backup' ? (newBackup ?? id) : id },
  };
}

/** The kinds of incidents by their scope; of all other scopes: `incident`. */
const scopes = { engine: 'engine', node: 'node', proxy: 'proxy', disk: 'disk' } as const satisfies Record<
  string,
  TimelineKind
>;
const kindOfScope = (scope: string): TimelineKind => scopes[scope as keyof typeof scopes] ?? 'incident';
const allScopes = [...Object.keys(scopes), 'tenant', 'database_server', 'version'];

const incidentTitles: Partial<Record<IncidentChange['kind'], (change: IncidentChange) => string>> = {
  opened: ({ title, text }) => `Incident: ${text ?? title}`,
  reopened: ({ title, text }) => `Incident returned: ${text ?? title}`,
  joined: ({ title }) => `Affected by the incident: ${title}`,
  recovered: ({ title }) => `Recovered from: ${title}`,
  left: ({ title }) => `No longer part of the incident: ${title}`,
  diagnosis_changed: ({ title, text }) => `Cause of the incident: ${text ?? title}`,
  acknowledged: ({ title }) => `Incident acknowledged: ${title}`,
  resolved: ({ title }) => `Incident resolved: ${title}`,
};
const beginnings: ReadonlySet<string> = new Set(['opened', 'reopened', 'joined']);
/** Their text is not part of the title. */
const withDetail: ReadonlySet<string> = new Set(['left', 'resolved']);

/** What happened to incidents. */
export function incidentSource(incidents: Pick<Incidents, 'changes'>): TimelineSource {
  return async ({ kinds, tenantId, includesAudit: _same, ...range }) => {
    const asked = allScopes.filter((scope) => kinds.has(kindOfScope(scope)));
    const found = await incidents.changes({ scopes: asked, tenantId, ...numbered(range) });
    return found.map((change) => ({
      id: String(change.seq),
      at: change.at,
      kind: kindOfScope(change.scopeKind),
      severity: beginnings.has(change.kind) ? change.severity : 'info',
      outcome: null,
      title: incidentTitles[change.kind]?.(change) ?? change.title,
      detail: withDetail.has(change.kind) ? change.text : null,
      tenant: change.tenantId === null ? null : { id: change.tenantId, name: change.name },
      user: change.username,
      link: { type: 'incident', id: change.incidentId },
    }));
  };
}

/** These sources number their entries. */
const numbered = <Query extends { belowId?: string | number | undefined }>(
  query: Query,
): Query & { belowId?: number | undefined } => ({
  ...query,
  belowId: query.belowId === undefined ? undefined : Number(query.belowId),
});
