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

/** A longer pause between two checks counts as this: what happened in it is not known. */
const maxPauseSeconds = 3_600;

/** Measures how long tenants were unhealthy. */
export function createDownTime() {
  const checkedAt = new Map<string, number>();
  return {
    /** @returns seconds since the check before, if this one found the tenant unhealthy; null: it was neither up nor down */
    measure(tenantId: string, at: Date, up: number | null | undefined): number | null {
      const now = at.getTime() / 1_000;
      const before = checkedAt.get(tenantId) ?? now;
      checkedAt.set(tenantId, Math.max(now, before));
      if (up === null || up === undefined) return null;
      return up === 1 ? 0 : Math.min(Math.max(0, now - before), maxPauseSeconds);
    },
    forget: (tenantId: string): void => void checkedAt.delete(tenantId),
  };
}
