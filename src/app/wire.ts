import { join } from 'node:path';
import { createBackups } from '../features/backups/backups.ts';
import { createPutBack } from '../features/deployments/put-back.ts';
import { createRemoval } from '../features/deployments/removal.ts';
import { deploymentRoutes } from '../features/deployments/routes.ts';
import { createDeployments } from '../features/deployments/service.ts';
import { createDeploymentStore } from '../features/deployments/store.ts';
import { createHealth } from '../features/health/health.ts';
import { createJournal } from '../features/journal/journal.ts';
import { createPorts } from '../features/ports/ports.ts';
import { createRemote } from '../features/remote/remote.ts';
import { createSettings } from '../features/settings/settings.ts';
import { createTenants } from '../features/tenants/tenants.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { createSecretBox } from '../kernel/secret-box.ts';
import { createEventBus } from '../platform/events/bus.ts';
import type { Runtime } from '../platform/runtime/runtime.ts';
import type { Store } from '../platform/store/store.ts';
import { createTenantApi } from '../platform/tenant-api/tenant-api.ts';
import { sqliteFiles } from '../platform/tenant-database/sqlite.ts';
import { backupSettings, elsewhere } from './backup-settings.ts';
import type { Config } from './config.ts';
import { createDatabases } from './databases.ts';
import { createDeploymentEngine } from './deployment-engine.ts';
import type { HostEnvironment } from './host-environment.ts';
import { unitLimits } from './unit-limits.ts';
import { wireAccounts } from './wire-accounts.ts';
import { wireFleets } from './wire-fleets.ts';
import { createClaims, type Importing, wireImports } from './wire-imports.ts';
import { wireProxying } from './wire-proxying.ts';
import { wireServices } from './wire-services.ts';
import { wireSource } from './wire-source.ts';
import { wireTenantData } from './wire-tenant-data.ts';
import { wireThemeAnalyses } from './wire-theme-analyses.ts';
import { wireThemes } from './wire-themes.ts';
import { wireUpgrades } from './wire-upgrades.ts';

export interface HouseOptions {
  config: Config;
  secretKey: string;
  host: HostEnvironment;
  store: Store;
  runtime: Runtime;
  logger: Logger;
  /** bcrypt's cost, where it is not the usual one (tests). */
  bcryptCost?: number;
  /** How long a deployment waits for its units to be healthy, in ms. */
  healthTimeoutMs?: number;
  /** How lists are imported, where it is not the usual way (tests). */
  importing?: Importing;
}

export type House = ReturnType<typeof wire>;

/** Creates every service and adapter and ties them together: the one place where the house knows itself. */
export function wire(options: HouseOptions) {
  const { config, secretKey, host, store, runtime, logger } = options;
  const clock = systemClock;
  const secretBox = createSecretBox(secretKey);
  const events = createEventBus(logger);
  const journal = createJournal({ store, clock, logger });
  const settings = createSettings({ store, clock, logger, journal: journal.write, secretBox });
  const { source, repositories } = wireSource({ config, host, logger });
  const tenantApi = createTenantApi();
  const limits = unitLimits(settings);
  const databases = createDatabases({
    runtime,
    sharedServerUrl: config.TENANT_DATABASE_URL,
    image: config.MARIADB_IMAGE,
    limits,
  });

  const deploymentStore = createDeploymentStore(store);
  const claims = createClaims();
  const base = { settings, events, clock, logger, claims, dataDirectory: config.DATA_DIR };
  const engine = createDeploymentEngine({ ...base, deployments: deploymentStore });

  const ports = createPorts({
    store,
    clock,
    pool: { start: config.PORT_POOL_START, end: config.PORT_POOL_END },
    tenantNames: (ids) => tenants.namesOf(ids),
  });
  const later = () => ({ tenants, configs, environmentOf, deployments, services });
  const themes = wireThemes({ ...base, store, journal: journal.write, engine, runtime, later });
  const tenants = createTenants({
    store,
    clock,
    events,
    journal: journal.write,
    secretBox,
    ports,
    dataDirectory: config.DATA_DIR,
    repositories,
    companions: [
      (tenant, transaction) => configs.createFor(tenant, transaction),
      (tenant, transaction) => themes.createFor(tenant, transaction),
    ],
    assertIdle: (id) => engine.assertIdle(id),
    dispose: (...removal) => dispose(...removal),
    lastHealth: (id) => health.lastDetails(id),
    onRenamed: ({ id }) => void proxying.rename(id).catch(() => undefined),
  });
  const { configs, databaseOf, environmentOf } = wireTenantData({
    store,
    clock,
    journal: journal.write,
    secretBox,
    tenants,
    sharedApiKey: config.TENANT_APP_API_KEY,
    themes,
    databases,
    runtime,
  });
  const common = { store, clock, journal: journal.write, engine, runtime, tenants, databaseOf };
  const healthTimeoutMs = options.healthTimeoutMs ?? 120_000;
  const { proxy, proxying } = wireProxying({
    ...common,
    config,
    ...base,
    host,
    secretBox,
    healthTimeoutMs,
  });

  const health = createHealth({
    ...common,
    site: proxying,
    ...base,
    tenantApi,
    isBusy: (id) => engine.isBusy(id),
  });
  const deployments = createDeployments({
    ...common,
    store: deploymentStore,
    source,
    databases: { choose: databases.choose, of: databaseOf },
    environment: {
      of: environmentOf,
      write: (tenant, environment, onKept) => configs.writeEnvFile(tenant, environment, onKept),
      restore: (written) => configs.restoreEnvFile(written),
    },
    settings: {
      limits,
      releaseRetention: () => settings.read('release_retention'),
      minimumFreeBytes: async () => (await settings.read('min_free_disk_mb')) * 1024 ** 2,
    },
    prove: health.proveHealthy,
    proxy: proxy.kind,
    sites: proxying.steps,
    dataDirectory: config.DATA_DIR,
    healthTimeoutMs,
  });
  const backups = createBackups({
    ...common,
    prove: health.proveHealthy,
    migrate: deployments.migrate,
    healthTimeoutMs,
    settings: backupSettings(settings),
    elsewhere: elsewhere(settings),
    directory: join(config.DATA_DIR, 'backups'),
    databaseFiles: sqliteFiles,
  });
  const upgrades = wireUpgrades({
    ...common,
    source,
    configs,
    environmentOf,
    deployments,
    backups,
    prove: health.proveHealthy,
    sites: proxying.steps,
    healthTimeoutMs,
  });
  const fleets = wireFleets({ ...common, ...base, upgrades, source, health, healthTimeoutMs });
  const putBack = createPutBack({ runtime, engine, tenants, sites: proxying.steps, journal: journal.write });
  const dispose = createRemoval({
    ...common,
    store: deploymentStore,
    sites: proxying,
    backups,
    keptDirectory: join(config.DATA_DIR, 'kept'),
  });
  const services = wireServices({ ...common, ...base, configs, environmentOf, deployments, health, proxying });
  const apiKeyOf = async (id: string) => (await configs.secretsOf(id)).apiKey;
  const remote = createRemote({ tenants, runtime, tenantApi, apiKeyOf });
  const imports = wireImports({
    ...common,
    ...base,
    tenantApi,
    apiKeyOf,
    importing: options.importing,
  });
  const analyses = wireThemeAnalyses({ ...common, ...base, themes, config });
  const accounts = wireAccounts({ options, settings, clock, journal: journal.write });

  return {
    accounts,
    analyses,
    backups,
    deployments,
    engine,
    events,
    fleets,
    health,
    imports,
    journal,
    ports,
    proxy,
    proxying,
    putBack,
    services,
    settings,
    runtime,
    source,
    tenantApi,
    tenants,
    themes,
    upgrades,
    routes: [
      ...accounts.routes,
      ...tenants.routes,
      ...configs.routes,
      ...themes.routes,
      ...analyses.routes,
      ...deploymentRoutes({ deployments, engine, tenants }),
      ...services.routes,
      ...health.routes,
      ...remote.routes,
      ...backups.routes,
      ...imports.routes,
      ...upgrades.routes,
      ...fleets.routes,
      ...proxying.routes,
      ...ports.routes,
      ...settings.routes,
      ...journal.routes,
    ],
  };
}
