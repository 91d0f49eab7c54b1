import type { HealthStatus, TenantStatus } from '../../tenants/tenants.ts';
import type { HealthChecks } from '../schema.ts';

/** What a check found of a tenant's two units. */
export interface UnitFindings {
  bothActive: boolean;
  /** The runtime has stopped restarting one of them. */
  gaveUp: boolean;
  /** Why a unit is inactive, for people. */
  reason: string;
}

export interface Evaluation {
  /** The status the tenant changes to; undefined: it keeps its own. */
  change: 'running' | 'error' | undefined;
  /** How many sweeps in a row have found it dead by now. */
  consecutiveFailures: number;
}

/** So many sweeps in a row must find a unit dead: one that is being started again is not dead yet. */
export const maxConsecutiveFailures = 3;

/**
 * What a finding means for a tenant's status. Only a tenant that should run can be found dead: one that is stopped or was
 * never started is as it should be.
 * @param origin checks made on demand don't count towards the row
 */
export function evaluate(
  status: TenantStatus,
  found: UnitFindings,
  consecutiveFailures: number,
  origin: 'sweep' | 'demand',
): Evaluation {
  switch (status) {
    case 'pending':
    case 'stopped':
      return { change: undefined, consecutiveFailures: 0 };
    case 'error':
      return { change: found.bothActive ? 'running' : undefined, consecutiveFailures: 0 };
    case 'running': {
      if (found.bothActive) return { change: undefined, consecutiveFailures: 0 };
      const row = consecutiveFailures + (origin === 'sweep' ? 1 : 0);
      return found.gaveUp || row >= maxConsecutiveFailures
        ? { change: 'error', consecutiveFailures: 0 }
        : { change: undefined, consecutiveFailures: row };
    }
    default:
      return status satisfies never;
  }
}

/**
 * What the checks of a deployed tenant mean for its health: services that were stopped on purpose, or never started, are not
 * ill. An operation on the tenant (`disturbed`) stops services on purpose, too; what is seen then does not last.
 */
export function interpretHealth(
  found: HealthStatus,
  status: TenantStatus,
  disturbed: boolean,
): { overall: HealthStatus; lasts: boolean } {
  if (status === 'stopped' || status === 'pending') return { overall: 'unknown', lasts: true };
  const passing = disturbed && status === 'running' && found === 'unhealthy';
  return passing ? { overall: 'unknown', lasts: false } : { overall: found, lasts: true };
}

interface Circumstances {
  /** False where the application has no such page. */
  docsDown: boolean;
  /** The runtime could not be asked, so that what `services` says is not known. */
  servicesUnknown: boolean;
  /** The certificate has expired or is about to. */
  certificateBad: boolean;
}

/**
 * One word for all checks of a deployed tenant: `unhealthy` where the frontend or the backend does not answer, at its port
 * or through the proxy, or a service does not run; `degraded` where they do but the database or the documentation page does not,
 * or the certificate will soon not.
 */
export function overallStatus(
  { frontend, backend, database, services, proxy }: HealthChecks,
  { docsDown, servicesUnknown, certificateBad }: Circumstances,
): Exclude<HealthStatus, 'unknown'> {
  const answers = frontend.status === 'up' && backend.status === 'up' && proxy?.status !== 'down';
  const runs = services.frontend_service === 'active' && services.backend_service === 'active';
  if (!answers || !(runs || servicesUnknown)) return 'unhealthy';
  const flawless = database.status === 'healthy' && !docsDown && !servicesUnknown && !certificateBad;
  return flawless ? 'healthy' : 'degraded';
}
