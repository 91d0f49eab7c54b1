import type { HealthStatus, Tenant } from '../tenants/tenant.ts';
import type { CheckResult } from './checks.ts';
import type { HealthReport } from './schema.ts';

export function reportOf(tenantId: string, result: CheckResult, at: Date): HealthReport {
  return { tenant_id: tenantId, overall_status: result.overall, checks: result.checks, last_check: at.toISOString() };
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
    last_check: at.toISOString(),
  };
}

/** The short form kept with the tenant as `health_details`. */
export function detailsOf({ checks, last_check }: HealthReport): Record<string, string> {
  return {
    frontend: checks.frontend.status,
    backend: checks.backend.status,
    database: checks.database.status,
    last_check,
  };
}

/** What changed, in one line for the journal. */
export function changeText(tenant: Tenant, before: HealthStatus, report: HealthReport): string {
  const problems = Object.entries(report.checks).flatMap(([name, { error }]) =>
    error === undefined ? [] : [`${name}: ${error}`],
  );
  const why = problems.length > 0 ? ` (${problems.join('; ')})` : '';
  return `Health of ${tenant.slug}: ${before} → ${report.overall_status}${why}`;
}
