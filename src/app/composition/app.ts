import { join } from 'node:path';
import { sqliteFiles } from '../../adapters/databases/sqlite/sqlite.ts';
import { createEventBus } from '../../adapters/events/bus.ts';
import { createHostRule } from '../../adapters/git/host-rule.ts';
import { createGitSource } from '../../adapters/git/source.ts';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import type { Store } from '../../adapters/store/store.ts';
import { createTenantApi } from '../../adapters/tenant-api/tenant-api.ts';
import { createAuditLog } from '../../features/audit-log/audit-log.ts';
import { createBackups } from '../../features/backups/backups.ts';
import { createDeployments } from '../../features/deployments/deployments.ts';
import { createRemoval } from '../../features/deployments/release/removal.ts';
import { createInterruptedRollback } from '../../features/deployments/release/roll-back-interrupted.ts';
import { createDeploymentStore } from '../../features/deployments/store.ts';
import { createHealth } from '../../features/health/health.ts';
import { createPorts, portRoutes } from '../../features/ports/ports.ts';
import { createRemote } from '../../features/remote/remote.ts';
import { createSettings } from '../../features/settings/settings.ts';
import { configRoutes, createTenantConfigs } from '../../features/tenant-config/tenant-config.ts';
import {
  createRepositorySecrets,
  createTenantAdministration,
  createTenantRecords,
  createTenants,
} from '../../features/tenants/tenants.ts';
import { createThemeEditor, createThemes } from '../../features/themes/themes.ts';
import { createUpgrades } from '../../features/upgrades/upgrades.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { createSecretBox } from '../../lib/secret-box.ts';
import { backupSettings, offsite } from '../config/backup-settings.ts';
import type { Config } from '../config/config.ts';
import type { HostEnvironment } from '../config/host-environment.ts';
import { unitLimits } from '../config/unit-limits.ts';
import { composeAccounts } from './accounts.ts';
import { createDatabases } from './adapters/databases.ts';
import { createDeploymentEngine } from './adapters/deployment-engine.ts';
import { composeListImports, createSubjectLocks, type Importing } from './list-imports.ts';
import { composeServices } from './services.ts';
import { composeSites } from './sites.ts';
import { composeTenantData } from './tenant-data.ts';
import { composeWebsiteAnalyses } from './themes.ts';
import { composeFleets } from './upgrades.ts';

export interface AppOptions {
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

export type App = ReturnType<typeof composeApp>;

/** Creates every adapter and feature and connects them: the composition root. */
export function composeApp(options: AppOptions) {
  const { config, secretKey, host, store, runtime, logger } = options;
  const clock = systemClock;
  const secretBox = createSecretBox(secretKey);
  const events = createEventBus(logger);
  const auditLog = createAuditLog({ store, clock, logger });
  const settings = createSettings({ store, clock, logger, writeAuditLog: auditLog.write, secretBox });
  const { source, repositories } = composeSource({ config, host, logger });
  const tenantApi = createTenantApi();
  const limits = unitLimits(settings);
  const databases = createDatabases({
    runtime,
    sharedServerUrl: config.TENANT_DATABASE_URL,
    image: config.MARIADB_IMAGE,
    limits,
  });

  const deploymentStore = createDeploymentStore(store);
  const locks = createSubjectLocks();
  const base = { settings, events, clock, logger, locks, dataDirectory: config.DATA_DIR };
  const engine = createDeploymentEngine({ ...base, deployments: deploymentStore });

  const ports = createPorts({
    store,
    clock,
    pool: { start: config.PORT_POOL_START, end: config.PORT_POOL_END },
  });
  const tenantRecords = createTenantRecords(store, ports);
  const repositorySecrets = createRepositorySecrets(secretBox, repositories);
  const tenants = createTenants({
    store,
    clock,
    events,
    writeAuditLog: auditLog.write,
    records: tenantRecords,
    ports,
    repositorySecrets,
  });
  const themes = createThemes({ store, clock, events, logger, directory: join(config.DATA_DIR, 'themes') });
  const configs = createTenantConfigs({
    store,
    clock,
    writeAuditLog: auditLog.write,
    secretBox,
    tenants,
    sharedApiKey: config.TENANT_APP_API_KEY,
    themes,
  });
  const { databaseOf, environmentOf } = composeTenantData(configs, databases, runtime);
  const common = { store, clock, writeAuditLog: auditLog.write, engine, runtime, tenants, databaseOf };
  const healthTimeoutMs = options.healthTimeoutMs ?? 120_000;
  const { proxy, sites } = composeSites({
    ...common,
    config,
    ...base,
    host,
    secretBox,
    healthTimeoutMs,
  });

  const health = createHealth({
    ...common,
    site: sites,
    ...base,
    tenantApi,
    isBusy: (id) => engine.isBusy(id),
  });
  const deployments = createDeployments(deploymentStore, {
    ...common,
    source,
    chooseDatabase: databases.choose,
    configs,
    environmentOf,
    settings: {
      limits,
      releaseRetention: () => settings.read('release_retention'),
      minimumFreeBytes: async () => (await settings.read('min_free_disk_mb')) * 1024 ** 2,
    },
    proveHealthy: health.proveHealthy,
    proxy: proxy.kind,
    sites: sites.steps,
    dataDirectory: config.DATA_DIR,
    healthTimeoutMs,
  });
  const backups = createBackups({
    ...common,
    proveHealthy: health.proveHealthy,
    migrate: deployments.migrate,
    healthTimeoutMs,
    settings: backupSettings(settings),
    offsite: offsite(settings),
    directory: join(config.DATA_DIR, 'backups'),
    databaseFiles: sqliteFiles,
  });
  const upgrades = createUpgrades({
    ...common,
    source,
    configs,
    environmentOf,
    deployments,
    backups,
    proveHealthy: health.proveHealthy,
    sites: sites.steps,
    healthTimeoutMs,
  });
  const fleets = composeFleets({ ...common, ...base, upgrades, source, health, healthTimeoutMs });
  const rollBackInterrupted = createInterruptedRollback({
    runtime,
    engine,
    tenants,
    sites: sites.steps,
    writeAuditLog: auditLog.write,
  });
  const removeResources = createRemoval(deploymentStore, {
    ...common,
    sites,
    backups,
    keptDirectory: join(config.DATA_DIR, 'kept'),
  });
  const services = composeServices({ ...common, ...base, configs, environmentOf, deployments, health, sites });
  const themeEditor = createThemeEditor({
    themes,
    tenants,
    engine,
    runtime,
    configs,
    environmentOf,
    deployments,
    services,
    writeAuditLog: auditLog.write,
    logger,
  });
  const apiKeyOf = async (id: string) => (await configs.secretsOf(id)).apiKey;
  const remote = createRemote({ tenants, runtime, tenantApi, apiKeyOf });
  const imports = composeListImports({
    ...common,
    ...base,
    tenantApi,
    apiKeyOf,
    importing: options.importing,
  });
  const analyses = composeWebsiteAnalyses({ ...common, ...base, themeEditor, config });
  const tenantAdministration = createTenantAdministration({
    store,
    clock,
    writeAuditLog: auditLog.write,
    tenants,
    records: tenantRecords,
    ports,
    repositorySecrets,
    dataDirectory: config.DATA_DIR,
    configs,
    themes,
    engine,
    health,
    sites,
    removeResources,
  });
  const accounts = composeAccounts({ options, settings, clock, writeAuditLog: auditLog.write });

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
    auditLog,
    ports,
    proxy,
    sites,
    rollBackInterrupted,
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
      ...tenantAdministration.routes,
      ...configRoutes(configs, { tenants, writeAuditLog: auditLog.write }, environmentOf),
      ...themeEditor.routes,
      ...analyses.routes,
      ...deployments.routes,
      ...services.routes,
      ...health.routes,
      ...remote.routes,
      ...backups.routes,
      ...imports.routes,
      ...upgrades.routes,
      ...fleets.routes,
      ...sites.routes,
      ...portRoutes(ports, tenants),
      ...settings.routes,
      ...auditLog.routes,
    ],
  };
}

const proxyNames = ['http_proxy', 'https_proxy', 'HTTPS_PROXY'];

/** Tenants' repositories: which of them are allowed, and git, which fetches them. */
export function composeSource({ config, host, logger }: { config: Config; host: HostEnvironment; logger: Logger }) {
  const hosts = createHostRule({ allowed: config.GIT_HOSTS, throughProxy: proxyNames.some((name) => host[name]) });
  return {
    source: createGitSource(join(config.DATA_DIR, 'sources'), host, hosts, logger),
    repositories: { allowLocal: config.ALLOW_LOCAL_REPOSITORIES, hosts },
  };
}
