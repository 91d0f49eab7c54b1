import { createHash } from 'node:crypto';
import { type Clock, durationText } from '../../../lib/clock.ts';
import type { Alert } from '../../notifications/alert.ts';
import type { Tenant, Tenants } from '../../tenants/tenants.ts';

export interface ConditionDeps {
  clock: Clock;
  tenants: Pick<Tenants, 'each'>;
  /** What needs attention. */
  attention(): Promise<{ kind: string; tenant: { id: string }; cause: string; since: Date | null }[]>;
  /** What health checks do not see of a tenant; it needs attention, too, while the tenant is healthy. */
  unseenFaults(tenantId: string): { code: string; since: Date }[];
  /** A tenant's active certificate; null: none. */
  certificateOf(tenantId: string): Promise<{ notAfter: Date } | null>;
  /** Tenants whose restore drill is missing, and when their last one was. */
  missingDrills(): Promise<{ tenantId: string; last: Date | null }[]>;
  /** The release that a tenant could be upgraded to; null: none is known. */
  updateOf(tenant: Tenant): string | null;
}

/** What alerts about an unseen fault are about: the first part of their keys. */
const subjectOfFault = (tenantId: string, code: string, since: Date): string =>
  `unseen_fault/${tenantId}:${code}:${since.toISOString()}`;
const faultKey = /^(unseen_fault\/([^:/]+):(\w+):([^/]+))\/(.+)$/;

/** The unseen faults that were reported and have not ended, as their alerts say. @param alerts about them, newest first */
export function reportedFaults(alerts: readonly { key: string; title: string }[]) {
  const last = new Map<string, { tenantId: string; code: string; since: Date; title: string; isOver: boolean }>();
  for (const { key, title } of alerts) {
    const [, subject, tenantId, code, since, what] = faultKey.exec(key) ?? [];
    if (!subject || !tenantId || !code || !since || last.has(`${tenantId} ${code}`)) continue;
    // After the tenant's name.
    const cause = title.slice(title.indexOf(': ', title.startsWith('Reminder: ') ? 'Reminder: '.length : 0) + 2);
    last.set(`${tenantId} ${code}`, {
      tenantId,
      code,
      since: new Date(since),
      title: cause,
      isOver: what === 'resolved',
    });
  }
  return [...last.values()].filter(({ isOver }) => !isOver);
}

/** Whether an unseen fault lasts, about which an alert was. */
export function isLasting({ key }: Alert, { unseenFaults }: Pick<ConditionDeps, 'unseenFaults'>): boolean {
  const [, subject, tenantId = ''] = faultKey.exec(key) ?? [];
  return unseenFaults(tenantId).some(({ code, since }) => subjectOfFault(tenantId, code, since) === subject);
}

/** The alert that an unseen fault has ended, after one about it; undefined: it is about something else, or its tenant is gone. */
export function alertOfEnd(alert: Alert, tenants: ReadonlySet<string>, at: Date): Alert | undefined {
  const [, subject, tenantId = '', , since = ''] = faultKey.exec(alert.key) ?? [];
  if (!subject || !tenants.has(tenantId)) return undefined;
  const title = `Recovered after ${durationText(at.getTime() - Date.parse(since))}: ${alert.title}`;
  return { ...alert, severity: 'info', key: `${subject}/resolved`, title, text: '', at };
}

const subjectOf = ({ id, slug, name, tags }: Tenant): Alert['tenants'][number] => ({ id, slug, name, tags });

/** Of a certificate of 90 days, the renewal has failed for weeks by then. */
const urgentMs = 3 * 86_400_000;
const stageText = {
  soon: 'The certificate expires soon',
  urgent: 'The certificate expires in less than three days',
  expired: 'The certificate has expired',
} as const;

function stageOf(notAfter: Date, now: Date): keyof typeof stageText {
  const left = notAfter.getTime() - now.getTime();
  if (left <= 0) return 'expired';
  return left < urgentMs ? 'urgent' : 'soon';
}

/** The alerts about states that last: missing backups and drills, certificates that expire, faults of healthy tenants, available updates. */
export async function alertsOfConditions(deps: ConditionDeps): Promise<Alert[]> {
  const at = deps.clock.now();
  const tenants = new Map<string, Tenant>();
  for await (const tenant of deps.tenants.each()) tenants.set(tenant.id, tenant);
  const alerts: Alert[] = [];
  for (const {
    kind,
    tenant: { id },
    cause,
    since,
  } of await deps.attention()) {
    const tenant = tenants.get(id);
    if (!tenant) continue;
    const common = { tenants: [subjectOf(tenant)], text: cause, at };
    if (kind === 'data_missing')
      alerts.push({
        ...common,
        event: 'incident',
        severity: 'critical',
        key: `data_missing/${id}/${at.toISOString().slice(0, 10)}`,
        title: `${tenant.name}: The data is gone`,
        link: `/tenants/${id}/backups`,
      });
    if (kind === 'backup_missing')
      alerts.push({
        ...common,
        event: 'backup',
        severity: 'warning',
        key: `backup/${id}/missing/${(since ?? at).toISOString().slice(0, 10)}`,
        title: `${tenant.name}: Backup missing`,
        link: `/tenants/${id}/backups`,
      });
    const fault = deps.unseenFaults(id).find(({ code }) => code === kind);
    if (fault)
      alerts.push({
        ...common,
        event: 'incident',
        // Another address may be that of a proxy in front of this one.
        severity: kind === 'dns_missing' ? 'error' : 'warning',
        key: `${subjectOfFault(id, kind, fault.since)}/opened`,
        title: `${tenant.name}: ${cause}`,
        text: 'Its health checks pass; they do not see this.',
        link: `/tenants/${id}`,
      });
    if (kind === 'certificate') {
      const notAfter = (await deps.certificateOf(id))?.notAfter;
      const stage = notAfter ? stageOf(notAfter, at) : 'soon';
      alerts.push({
        ...common,
        event: 'certificate',
        severity: stage === 'soon' ? 'warning' : 'error',
        key: `certificate/${id}/${notAfter?.toISOString() ?? 'unknown'}${stage === 'soon' ? '' : `/${stage}`}`,
        title: `${tenant.name}: ${stageText[stage]}`,
        link: `/tenants/${id}`,
      });
    }
  }
  for (const { tenantId, last } of await deps.missingDrills()) {
    const tenant = tenants.get(tenantId);
    if (!tenant) continue;
    alerts.push({
      tenants: [subjectOf(tenant)],
      at,
      event: 'drill',
      severity: 'warning',
      key: `drill/${tenantId}/missing/${last?.toISOString().slice(0, 10) ?? 'first'}`,
      title: `${tenant.name}: Restore drill missing`,
      text: last ? `The last one was on ${last.toISOString().slice(0, 10)}` : 'There has been none',
      link: `/tenants/${tenantId}/backups`,
    });
  }
  return [...alerts, ...updatesOf([...tenants.values()], deps, at)];
}

/** One alert for all tenants that could be upgraded to a version. */
function updatesOf(tenants: readonly Tenant[], { updateOf }: ConditionDeps, at: Date): Alert[] {
  const updates = Map.groupBy(
    tenants.filter((tenant) => updateOf(tenant) !== null),
    (tenant) => `${updateOf(tenant)} ${tenant.gitRepo}`,
  );
  return [...updates].map(([name, behind]) => {
    const version = name.slice(0, name.indexOf(' '));
    const count = behind.length === 1 ? (behind[0]?.name ?? '') : `${behind.length} tenants`;
    return {
      event: 'update',
      severity: 'info',
      key: `update/${createHash('sha256').update(name).digest('hex').slice(0, 32)}`,
      title: `${version} is available for ${count}`,
      text: `Tenants: ${behind.map((tenant) => tenant.name).join(', ')}`,
      link: '/upgrades/new',
      tenants: behind.map(subjectOf),
      at,
    };
  });
}
