import type { AuditLogEntry } from '../../../adapters/events/audit-log-entry.ts';
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

/** The report for a tenant that was never deployed. */
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

/** The short form, stored with the tenant as `health_details`. */
export function detailsOf({ checks, last_check }: HealthReport): Record<string, string> {
  return {
    frontend: checks.frontend.status,
    backend: checks.backend.status,
    database: checks.database.status,
    ...(checks.proxy ? { proxy: checks.proxy.status } : {}),
    ...(checks.synthetic ? { synthetic: checks.synthetic.status } : {}),
    last_check,
  };
}

/** Unchanged results are written at this interval; newer ones are only in memory. */
const rewriteIntervalMs = 10 * 60_000;

/** Whether a report must be written: its details differ from the stored ones, or those are old. */
export function needsWriting(stored: Record<string, unknown> | null, report: HealthReport): boolean {
  if (!stored) return true;
  const { last_check, ...found } = detailsOf(report);
  const names = Object.keys(found);
  if (names.length !== Object.keys(stored).length - 1 || names.some((name) => stored[name] !== found[name]))
    return true;
  return !(Date.parse(last_check ?? '') - Date.parse(String(stored.last_check)) < rewriteIntervalMs);
}

/** The log entry about a changed health status. */
export function changeEntry(before: TenantHealth, report: HealthReport): AuditLogEntry {
  const { overall_status, checks } = report;
  return {
    level: levels[overall_status],
    category: 'health_check',
    topic: 'health',
    message: `Health of ${before.slug}: ${before.healthStatus} → ${overall_status}${reasonsOf(report)}`,
    tenant: { id: before.id, slug: before.slug },
    details: { overall_status, checks },
  };
}

function reasonsOf({ overall_status, checks, certificate }: HealthReport): string {
  if (overall_status === 'unknown') return ' (services are stopped on purpose)';
  const problems = [...problemsOf({ checks }), ...(certificate?.error ? [`certificate: ${certificate.error}`] : [])];
  return problems.length > 0 ? ` (${problems.join('; ')})` : '';
}

/** The failed checks, each with its error. */
export function problemsOf({ checks }: Pick<HealthReport, 'checks'>): string[] {
  const results: [string, { error?: string | undefined } | undefined][] = Object.entries(checks);
  return results.flatMap(([name, check]) => (check?.error === undefined ? [] : [`${name}: ${check.error}`]));
}

const levels = { unknown: 'info', healthy: 'info', degraded: 'warning', unhealthy: 'error' } as const;
