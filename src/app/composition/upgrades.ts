import { publicImages } from '../../adapters/runtimes/image-access.ts';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { Health } from '../../features/health/health.ts';
import type { HealthReport } from '../../features/health/schema.ts';
import type { Settings } from '../../features/settings/settings.ts';
import type { Sites } from '../../features/sites/sites.ts';
import type { TenantConfigs } from '../../features/tenant-config/tenant-config.ts';
import {
  createFleets,
  createMoves,
  createUpgrades,
  type FleetsDeps,
  type MovesDeps,
  type Origin,
  type UpgradesDeps,
} from '../../features/upgrades/upgrades.ts';
import type { Config } from '../config/config.ts';
import { unitLimits } from '../config/unit-limits.ts';
import { createDatabases } from './adapters/databases.ts';
import { composeTenantData } from './tenant-data.ts';

/** Long enough for a tenant that is being restarted or backed up. */
const maxHealthTimeoutMs = 60_000;
const retryDelayMs = 5_000;

/** Upgrades of single tenants and of many, and moves to another runtime. */
export async function composeUpgrades({
  store,
  clock,
  logger,
  events,
  writeAuditLog,
  engine,
  runtime,
  tenants,
  databaseOf,
  source,
  configs,
  environmentOf,
  deployments,
  backups,
  health,
  proveUserSteps,
  sites,
  settings,
  healthTimeoutMs,
  config,
  origin,
  chooseDatabase,
}: Omit<UpgradesDeps, 'proveHealthy' | 'sites'> &
  Pick<FleetsDeps, 'logger' | 'events'> & {
    health: Health;
    sites: Sites;
    settings: Settings;
    config: Config;
    origin: Runtime | undefined;
  } & Pick<MovesDeps, 'chooseDatabase'>) {
  const upgrades = createUpgrades({
    store,
    clock,
    logger,
    writeAuditLog,
    engine,
    runtime,
    tenants,
    databaseOf,
    source,
    configs,
    environmentOf,
    deployments,
    backups,
    proveHealthy: health.proveHealthy,
    proveUserSteps,
    sites: sites.steps,
    healthTimeoutMs,
  });
  const fleets = createFleets({
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
    healthTimeoutMs: Math.min(maxHealthTimeoutMs, healthTimeoutMs({})),
    retryDelayMs,
  });
  const moves = createMoves({
    engine,
    clock,
    writeAuditLog,
    origin: origin && (await originAt(origin, { config, configs, health, limits: unitLimits(settings), store })),
    runtime,
    tenants,
    configs,
    environmentOf,
    databaseOf,
    chooseDatabase,
    deployments,
    backups,
    sites: sites.steps,
    proveHealthy: health.proveHealthy,
    healthTimeoutMs,
  });
  return { upgrades, fleets, moves };
}

/** A runtime with the databases of its tenants. */
async function originAt(
  runtime: Runtime,
  {
    config,
    configs,
    health,
    limits,
    store,
  }: { config: Config; configs: TenantConfigs; health: Health; limits: ReturnType<typeof unitLimits>; store: Store },
): Promise<Origin> {
  const databases = await createDatabases({ runtime, access: publicImages, config, limits });
  const { databaseOf, lostData } = composeTenantData(configs, databases, runtime, store);
  return { runtime, databaseOf, lostData, proveHealthy: health.proveHealthyOn(runtime) };
}

/** The problems that an upgrade may have caused; a missing documentation page or an expiring certificate does not count. */
function problemOf({ overall_status, checks }: HealthReport): string | undefined {
  const { database, frontend, backend, services, proxy, synthetic } = checks;
  const answers = overall_status === 'healthy' || overall_status === 'degraded';
  if (answers && database.status === 'healthy' && synthetic?.status !== 'down') return undefined;
  const found = { frontend, backend, database, ...(proxy ? { proxy } : {}), ...(synthetic ? { synthetic } : {}) };
  const wrong = Object.entries(found).flatMap(([name, { status, error }]) =>
    status === 'up' || status === 'healthy' ? [] : [`${name}: ${error ?? status}`],
  );
  const bothActive = services.frontend_service === 'active' && services.backend_service === 'active';
  return [...wrong, ...(bothActive ? [] : [`services: ${services.error ?? 'not active'}`])].join('; ');
}
