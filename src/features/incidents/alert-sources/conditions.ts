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
  unseenFault(tenantId: string): { code: string } | undefined;
  /** A tenant's active certificate; null: none. */
  certificateOf(tenantId: string): Promise<{ notAfter: Date } | null>;
  /** Tenants whose restore drill is missing, and when their last one was. */
  missingDrills(): Promise<{ tenantId: string; last: Date | null }[]>;
  /** The release that a tenant could be upgraded to; null: none is known. */
  updateOf(tenant: Tenant): string | null;
}

/** How the keys of alerts about an unseen fault of a tenant begin; the time since when it lasts follows. */
const unseenFaultPrefix = (tenantId: string, code: string): string => `unseen_fault/${tenantId}/${code}/`;

/** Since when an unseen fault lasts, as its last alert says; undefined: there was none, or it says that the fault has ended. */
export async function reportedSince(
  lastAlert: (prefix: string) => Promise<{ key: string } | undefined>,
  tenantId: string,
  code: string,
): Promise<Date | undefined> {
  const prefix = unseenFaultPrefix(tenantId, code);
  const last = await lastAlert(prefix);
  return last && !last.key.endsWith(resolved) ? new Date(last.key.slice(prefix.length).replace(/\/.*/, '')) : undefined;
}

/** How the key of the alert ends that says that an unseen fault has ended. */
const resolved = '/resolved';

/** The alert that an unseen fault has ended, after one about it; undefined: it is about something else, or the fault lasts. */
export function alertOfEnd(alert: Alert, { unseenFault }: Pick<ConditionDeps, 'unseenFault'>, now: Date) {
  const [tenant] = alert.tenants;
  const [, since] = /^unseen_fault\/[^/]+\/[^/]+\/([^/]+)$/.exec(alert.key) ?? [];
  if (!tenant || since === undefined || unseenFault(tenant.id)) return undefined;
  const title = `Recovered after ${durationText(now.getTime() - Date.parse(since))}: ${alert.title}`;
  return { ...alert, severity: 'info', key: `${alert.key}${resolved}`, title, text: '', at: now } satisfies Alert;
}

const subjectOf = ({ id, slug, name, tags }: Tenant): Alert['tenants'][number] => ({ id, slug, name, tags });

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
    if (kind === 'backup_missing')
      alerts.push({
        ...common,
        event: 'backup',
        severity: 'warning',
        key: `backup/${id}/missing/${(since ?? at).toISOString().slice(0, 10)}`,
        title: `${tenant.name}: Backup missing`,
        link: `/tenants/${id}/backups`,
      });
    if (deps.unseenFault(id)?.code === kind)
      alerts.push({
        ...common,
        event: 'incident',
        // Another address may be that of a proxy in front of this one.
        severity: kind === 'dns_missing' ? 'error' : 'warning',
        key: `${unseenFaultPrefix(id, kind)}${(since ?? at).toISOString()}`,
        title: `${tenant.name}: ${cause}`,
        text: 'Its health checks pass; they do not see this.',
        link: `/tenants/${id}`,
      });
    if (kind === 'certificate') {
      const notAfter = (await deps.certificateOf(id))?.notAfter;
      const hasExpired = notAfter !== undefined && notAfter <= at;
      alerts.push({
        ...common,
        event: 'certificate',
        severity: hasExpired ? 'error' : 'warning',
        key: `certificate/${id}/${notAfter?.toISOString() ?? 'unknown'}${hasExpired ? '/expired' : ''}`,
        title: `${tenant.name}: The certificate ${hasExpired ? 'has expired' : 'expires soon'}`,
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
