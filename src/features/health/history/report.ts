import type { JournalEntry } from '../../../adapters/events/journal-entry.ts';
import type { HealthStatus, TenantHealth } from '../../tenants/tenants.ts';
import type { CheckResult } from '../checks/checks.ts';
import type { HealthReport } from '../schema.ts';

export function reportOf(
  tenantId: string,
  result: Omit<CheckResult, 'overall'> & { overall: HealthStatus },
  at: Date,
): HealthReport {
  const { overall, checks, certificate } = result;
  return { tenant_id: tenantId, overall_status: overall, checks, certificate, last_check: at.toISOString() };
}

/** What is said of a tenant that was never deployed: there is nothing to ask. */
export function notDeployedReport(tenantId: string, at: Date): HealthReport {
  const error = 'not deployed';
  const page = { status: 'down' as const, response_time_ms: null, status_code: null, error };
  return {
    tenant_id: tenantId,
    overall_status: 'unknown',
    checks: {
      frontend: page,
      backend: page,
      database: { status: 'down', size_mb: null, connections: null, error },
      services: { frontend_service: 'inactive', backend_service: 'inactive', error },
    },
    certificate: null,
    last_check: at.toISOString(),
  };
}

/** The short form kept with the tenant as `health_details`. */
export function detailsOf({ checks, last_check }: HealthReport): Record<string, string> {
  return {
    frontend: checks.frontend.status,
    backend: checks.backend.status,
    database: checks.database.status,
    ...(checks.proxy ? { proxy: checks.proxy.status } : {}),
    last_check,
  };
}

/** That nothing changed is written so often; what was found since is known to the manager that found it. */
const writtenEveryMs = 10 * 60_000;

/** Whether a report is to be written: its details are others than those kept, or what is kept has grown old. */
export function needsWriting(kept: Record<string, unknown> | null, report: HealthReport): boolean {
  if (!kept) return true;
  const { last_check, ...found } = detailsOf(report);
  const names = Object.keys(found);
  if (names.length !== Object.keys(kept).length - 1 || names.some((name) => kept[name] !== found[name])) return true;
  return !(Date.parse(last_check ?? '') - Date.parse(String(kept.last_check)) < writtenEveryMs);
}

/** The journal's entry about a changed status. */
export function changeEntry(before: TenantHealth, report: HealthReport): JournalEntry {
  const { overall_status, checks } = report;
  return {
    level: levels[overall_status],
    category: 'health_check',
    message: `Health of ${before.slug}: ${before.healthStatus} → ${overall_status}${whyOf(report)}`,
    tenant: { id: before.id, slug: before.slug },
    details: { overall_status, checks },
  };
}

function whyOf({ overall_status, checks, certificate }: HealthReport): string {
  if (overall_status === 'unknown') return ' (services are stopped on purpose)';
  const flaws: [string, { error?: string | undefined } | null | undefined][] = Object.entries({
    ...checks,
    certificate,
  });
  const problems = flaws.flatMap(([name, check]) => (check?.error === undefined ? [] : [`${name}: ${check.error}`]));
  return problems.length > 0 ? ` (${problems.join('; ')})` : '';
}

const levels = { unknown: 'info', healthy: 'info', degraded: 'warning', unhealthy: 'error' } as const;
