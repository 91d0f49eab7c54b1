import type { HealthReport, UnitStarts } from '../../health/health.ts';
import type { Values } from '../metrics.ts';

type Page = HealthReport['checks']['frontend'];

const seconds = (page: Page | undefined): number | null =>
  page?.status === 'up' && page.response_time_ms !== null ? page.response_time_ms / 1_000 : null;

/** The figures of a health check; a tenant that was stopped on purpose is neither up nor down. */
export function figuresOf({ overall_status: status, checks }: HealthReport): Values<'tenant'> {
  const { database } = checks;
  return {
    tenantry_tenant_up: status === 'unknown' ? null : status === 'unhealthy' ? 0 : 1,
    tenantry_tenant_frontend_response_seconds: seconds(checks.frontend),
    tenantry_tenant_backend_response_seconds: seconds(checks.backend),
    tenantry_tenant_proxy_response_seconds: seconds(checks.proxy),
    tenantry_tenant_database_bytes: database.size_mb === null ? null : database.size_mb * 1024 ** 2,
    tenantry_tenant_database_connections: database.connections,
  };
}

/** Counts how often units started between checks. */
export function createStartCounter() {
  const known = new Map<string, UnitStarts>();
  return {
    /** @returns the starts since the last check of the tenant; null at the first one */
    count(tenantId: string, started: UnitStarts): number | null {
      const before = known.get(tenantId);
      known.set(tenantId, { ...before, ...started });
      if (!before) return null;
      return [
        [before.api, started.api],
        [before.frontend, started.frontend],
      ].filter(([old, now]) => old && now && now.getTime() !== old.getTime()).length;
    },
    forget: (tenantId: string): void => void known.delete(tenantId),
  };
}
