import type { HealthStatus, TenantStatus } from '../../tenants/tenants.ts';
import type { HealthChecks } from '../schema.ts';

/** The state of a tenant's two units. */
export interface UnitFindings {
  bothActive: boolean;
  /** The runtime has stopped restarting one of them. */
  gaveUp: boolean;
  /** Why a unit is inactive, as text for users. */
  reason: string;
}

export interface Evaluation {
  /** The tenant's new status; undefined: unchanged. */
  change: 'running' | 'error' | undefined;
  /** The number of consecutive sweeps that found a unit dead. */
  consecutiveFailures: number;
}

/** The tenant's status becomes `error` after this many failures: a unit that is restarting is not dead yet. */
export const maxConsecutiveFailures = 3;

/**
 * Derives a tenant's status from its units. Only a tenant that should run can be dead: stopped or never started units are
 * expected otherwise.
 * @param origin checks on demand don't count as consecutive failures
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
      const failures = consecutiveFailures + (origin === 'sweep' ? 1 : 0);
      return found.gaveUp || failures >= maxConsecutiveFailures
        ? { change: 'error', consecutiveFailures: 0 }
        : { change: undefined, consecutiveFailures: failures };
    }
    default:
      return status satisfies never;
  }
}

/**
 * Derives a deployed tenant's health from its checks: services that were stopped on purpose or never started are not unhealthy.
 * An operation on the tenant (`disturbed`) also stops services on purpose; such a result is temporary.
 */
export function interpretHealth(
  found: HealthStatus,
  status: TenantStatus,
  disturbed: boolean,
): { overall: HealthStatus; temporary: boolean } {
  if (status === 'stopped' || status === 'pending') return { overall: 'unknown', temporary: false };
  const temporary = disturbed && status === 'running' && found === 'unhealthy';
  return temporary ? { overall: 'unknown', temporary } : { overall: found, temporary: false };
}

interface OtherFindings {
  /** False if the application has no documentation page. */
  docsDown: boolean;
  /** The runtime did not answer, so the state of `services` is unknown. */
  servicesUnknown: boolean;
  /** The certificate has expired or expires soon. */
  certificateBad: boolean;
}

/**
 * Summarizes all checks of a deployed tenant. `unhealthy`: the frontend or the backend does not answer, at its port or through
 * the proxy, or a service does not run or is restarted again and again. `degraded`: they do, but the database, the documentation page or a user's steps fail,
 * or the certificate expires soon.
 */
export function overallStatus(
  { frontend, backend, database, services, proxy, synthetic }: HealthChecks,
  { docsDown, servicesUnknown, certificateBad }: OtherFindings,
): Exclude<HealthStatus, 'unknown'> {
  const reachable = frontend.status === 'up' && backend.status === 'up' && proxy?.status !== 'down';
  const runs = services.frontend_service === 'active' && services.backend_service === 'active' && !services.crash_loop;
  if (!reachable || !(runs || servicesUnknown)) return 'unhealthy';
  const stepsFail = synthetic?.status === 'down';
  const allPassed = database.status === 'healthy' && !docsDown && !servicesUnknown && !certificateBad && !stepsFail;
  return allPassed ? 'healthy' : 'degraded';
}
