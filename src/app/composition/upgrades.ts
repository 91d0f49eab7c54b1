import type { Source } from '../../adapters/git/source.ts';
import type { Health } from '../../features/health/health.ts';
import type { HealthReport } from '../../features/health/schema.ts';
import type { Settings } from '../../features/settings/settings.ts';
import { createFleets, type FleetsDeps } from '../../features/upgrades/upgrades.ts';

/** Long enough for a tenant that is being restarted or backed up. */
const maxHealthTimeoutMs = 60_000;
const retryDelayMs = 5_000;

/** Upgrades of many tenants. */
export function composeFleets({
  store,
  clock,
  logger,
  events,
  writeAuditLog,
  tenants,
  upgrades,
  source,
  health,
  settings,
  healthTimeoutMs,
}: Omit<FleetsDeps, 'tagsOf' | 'healthProblem' | 'concurrency' | 'retryDelayMs'> & {
  source: Source;
  health: Health;
  settings: Settings;
}) {
  return createFleets({
    store,
    clock,
    logger,
    events,
    writeAuditLog,
    tenants,
    upgrades,
    tagsOf: async (address, signal) => (await source.refs(address, signal)).tags,
    async healthProblem(tenantId) {
      const tenant = await tenants.find(tenantId);
      return !tenant || tenant.status === 'stopped' ? undefined : problemOf(await health.check(tenantId));
    },
    concurrency: () => settings.read('deployment_concurrency'),
    healthTimeoutMs: Math.min(maxHealthTimeoutMs, healthTimeoutMs),
    retryDelayMs,
  });
}

/** The problems that an upgrade may have caused; a missing documentation page or an expiring certificate does not count. */
function problemOf({ overall_status, checks }: HealthReport): string | undefined {
  const { database, frontend, backend, services, proxy } = checks;
  const answers = overall_status === 'healthy' || overall_status === 'degraded';
  if (answers && database.status === 'healthy') return undefined;
  const found = { frontend, backend, database, ...(proxy ? { proxy } : {}) };
  const wrong = Object.entries(found).flatMap(([name, { status, error }]) =>
    status === 'up' || status === 'healthy' ? [] : [`${name}: ${error ?? status}`],
  );
  const bothActive = services.frontend_service === 'active' && services.backend_service === 'active';
  return [...wrong, ...(bothActive ? [] : [`services: ${services.error ?? 'not active'}`])].join('; ');
}
