import type { HealthStatus } from '../../tenants/tenant.ts';
import type { HealthChecks } from '../schema.ts';

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
