import { join } from 'node:path';
import { sqliteFiles } from '../../adapters/databases/sqlite/sqlite.ts';
import { createEventBus } from '../../adapters/events/bus.ts';
import { createAuditLog } from '../../features/audit-log/audit-log.ts';
import { createBackups } from '../../features/backups/backups.ts';
import { createDeployments } from '../../features/deployments/deployments.ts';
import { createDeploymentStore } from '../../features/deployments/store.ts';
import { createHistory } from '../../features/history/history.ts';
import { createLogArchive } from '../../features/log-archive/log-archive.ts';
import { createPorts, portRoutes } from '../../features/ports/ports.ts';
import { createRegistries } from '../../features/registries/registries.ts';
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
import { systemClock } from '../../lib/clock.ts';
import { createSecretBox } from '../../lib/secret-box.ts';
import { backupSettings, offsite } from '../config/backup-settings.ts';
import { deploymentSettings, startTimeoutMs, unitLimits } from '../config/unit-limits.ts';
import { composeAccounts, composeSetup } from './accounts.ts';
import { createDatabases } from './adapters/databases.ts';
import { createDeploymentEngine } from './adapters/deployment-engine.ts';
import type { AppOptions } from './app-options.ts';
import { composeListImports, createSubjectLocks } from './list-imports.ts';
import { composeDiagnosis } from './monitoring/diagnosis.ts';
import { composeHealth } from './monitoring/health.ts';
import { composeLogKeeping } from './monitoring/log-keeping.ts';
import { composeNotifications } from './monitoring/notifications.ts';
import { composeRemoval } from './removal.ts';
import { composeServices } from './services.ts';
import { composeSites } from './sites.ts';
import { composeSource } from './source.ts';
import { composeTenantData } from './tenant-data.ts';
import { composeWebsiteAnalyses } from './themes.ts';
import { composeUpgrades } from './upgrades.ts';

export type App = Awaited<ReturnType<typeof composeApp>>;

/** Creates every adapter and feature and connects them: the composition root. Loads only the adapters that are used here. */
export async function composeApp(options: AppOptions) {
  const { config, secretKey, host, store, logger } = options;
  const healthTimeoutMs = startTimeoutMs(options.healthTimeoutMs);
  const { DATA_DIR: dataDirectory } = config;
  const clock = systemClock;
  const secretBox = createSecretBox(secretKey);
  const events = createEventBus(logger);
  const auditLog = createAuditLog({ store, clock, logger });
  const { write: writeAuditLog } = auditLog;
  const settings = createSettings({ store, clock, logger, writeAuditLog, secretBox });
  const { source, repositories, repositoryCheck } = composeSource(options);
  const deploymentStore = createDeploymentStore(store);
  const locks = createSubjectLocks();
  const engine = createDeploymentEngine({
    deployments: deploymentStore,
    wrapJournal: options.wrapJournal,
    settings,
    events,
    clock,
    logger,
    locks,
    dataDirectory,
  });

  const ports = createPorts({ store, clock, pool: { start: config.PORT_POOL_START, end: config.PORT_POOL_END } });
  const records = createTenantRecords(store, ports);
  const repositorySecrets = createRepositorySecrets(secretBox, repositories);
  const tenants = createTenants({ store, clock, events, writeAuditLog, records, ports, repositorySecrets });
  const themes = createThemes({ store, clock, events, logger, directory: join(dataDirectory, 'themes') });
  const configs = createTenantConfigs({
    store,
    clock,
    writeAuditLog,
    secretBox,
    tenants,
    sharedApiKey: config.TENANT_APP_API_KEY,
    themes,
  });
  const { keeper, runtime, origin, tenantApi } = composeLogKeeping(options, settings, configs);
  const registries = createRegistries({ store, clock, writeAuditLog, secretBox, runtime, settings, config });
  const access = registries.operatorAccess;
  const databases = await createDatabases({ runtime, access, config, limits: unitLimits(settings) });
  const { databaseOf, environmentOf, lostData } = composeTenantData(configs, databases, runtime, store, origin);
  const { proxy, sites } = await composeSites({
    store,
    clock,
    logger,
    events,
    writeAuditLog,
    secretBox,
    tenants,
    engine,
    runtime,
    settings,
    config,
    host,
    proofTimeoutMs: healthTimeoutMs({}),
  });
  const { health, syntheticChecks } = composeHealth({
    store,
    clock,
    logger,
    events,
    writeAuditLog,
    settings,
    engine,
    tenants,
    runtime,
    tenantApi,
    databaseOf,
    configs,
    environmentOf,
    sites,
    dataDirectory,
  });
  const history = createHistory({ store, clock, logger, events, runtime, tenants, settings, dataDirectory });
  const apiKeyOf = async (id: string) => (await configs.secretsOf(id)).apiKey;
  const remote = createRemote({ tenants, runtime, tenantApi, apiKeyOf });
  const diagnosis = composeDiagnosis({
    records: { store, auditLog, deploymentStore, remote, settings },
    live: { proxy, clock, events, runtime, engine, tenants, health, sites, dataDirectory },
  });
  const deployments = createDeployments(deploymentStore, {
    clock,
    writeAuditLog,
    engine,
    runtime,
    tenants,
    databaseOf,
    lostData,
    source,
    chooseDatabase: databases.choose,
    imageAccessOf: registries.accessOf,
    configs,
    environmentOf,
    settings: deploymentSettings(settings),
    proveHealthy: health.proveHealthy,
    proveUserSteps: syntheticChecks.prove,
    diagnoseStarted: diagnosis.diagnoseStarted,
    proxy: proxy.kind,
    sites: sites.steps,
    dataDirectory,
    healthTimeoutMs,
  });
  const backups = createBackups({
    store,
    clock,
    writeAuditLog,
    engine,
    runtime,
    tenants,
    databaseOf,
    proveHealthy: health.proveHealthy,
    deployments,
    healthTimeoutMs,
    settings: backupSettings(settings),
    lastOutcomes: deploymentStore.lastOutcomes,
    offsite: offsite(settings),
    directory: join(dataDirectory, 'backups'),
    databaseFiles: sqliteFiles,
  });
  const { upgrades, fleets, moves } = await composeUpgrades({
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
    proveUserSteps: syntheticChecks.prove,
    sites,
    settings,
    healthTimeoutMs,
    config,
    origin,
    chooseDatabase: databases.choose,
  });
  const { rollBackInterrupted, removeResources } = composeRemoval({
    deploymentStore,
    engine,
    runtime,
    tenants,
    databaseOf,
    hasDatabase: databases.has,
    sites,
    backups,
    writeAuditLog,
    keptDirectory: join(dataDirectory, 'kept'),
  });
  const tenantAdministration = createTenantAdministration({
    store,
    clock,
    writeAuditLog,
    tenants,
    records,
    ports,
    repositorySecrets,
    dataDirectory,
    configs,
    themes,
    engine,
    health,
    backups,
    source,
    updates: upgrades.updates,
    sites,
    removeResources,
  });
  const logArchive = createLogArchive({ keeper, runtime, tenants, events, logger });
  const services = composeServices({
    healthTimeoutMs,
    store,
    clock,
    logger,
    events,
    writeAuditLog,
    runtime,
    tenants,
    engine,
    databaseOf,
    configs,
    environmentOf,
    deployments,
    diagnosis,
    logArchive,
    health,
    sites,
    backups,
    upgrades,
    administration: tenantAdministration,
    dataDirectory,
  });
  const themeEditor = createThemeEditor({
    themes,
    tenants,
    engine,
    runtime,
    configs,
    environmentOf,
    deployments,
    services,
    writeAuditLog,
    logger,
  });
  const imports = composeListImports({
    store,
    clock,
    logger,
    events,
    writeAuditLog,
    runtime,
    tenants,
    locks,
    settings,
    dataDirectory,
    tenantApi,
    configs,
    importing: options.importing,
  });
  const analyses = composeWebsiteAnalyses({
    store,
    clock,
    logger,
    events,
    writeAuditLog,
    tenants,
    themeEditor,
    settings,
    config,
  });
  const accounts = composeAccounts({
    store,
    clock,
    logger,
    writeAuditLog,
    secretKey,
    bcryptCost: options.bcryptCost,
    config,
    settings,
  });
  const notifications = composeNotifications({
    store,
    clock,
    logger,
    events,
    writeAuditLog,
    secretBox,
    tenants,
    accounts,
    settings,
    config,
  });
  const setup = composeSetup({ store, accounts, notifications, settings, tenants, config });
  // Its check of a repository has a path among those of tenants, so it comes first.
  const ofManager = [accounts, setup, repositoryCheck, notifications, settings, registries, auditLog];
  const ofTenants = [tenantAdministration, themeEditor, analyses, deployments, services, logArchive, health, diagnosis];
  const ofData = [history, remote, backups, imports, moves, upgrades, fleets, sites];

  return {
    accounts,
    analyses,
    backups,
    deployments,
    deploymentStore,
    diagnosis,
    engine,
    events,
    fleets,
    health,
    history,
    imports,
    notifications,
    auditLog,
    databases,
    logArchive,
    ports,
    proxy,
    registryAccess: access,
    sites,
    rollBackInterrupted,
    services,
    settings,
    syntheticChecks,
    runtime,
    source,
    tenantApi,
    tenants,
    themes,
    upgrades,
    routes: [
      ...configRoutes(configs, { tenants, writeAuditLog }, environmentOf),
      ...portRoutes(ports, tenants),
      ...[...ofManager, ...ofTenants, ...ofData].flatMap(({ routes }) => routes),
    ],
  };
}
