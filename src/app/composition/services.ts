import { join } from 'node:path';
import type { EventBus } from '../../adapters/events/bus.ts';
import type { Store } from '../../adapters/store/store.ts';
import { isStoreUnavailable } from '../../adapters/store/translate-error.ts';
import type { Backups } from '../../features/backups/backups.ts';
import type { Deployments } from '../../features/deployments/deployments.ts';
import type { DiagnosisService } from '../../features/diagnosis/diagnosis.ts';
import type { Health } from '../../features/health/health.ts';
import type { LogArchive } from '../../features/log-archive/log-archive.ts';
import { createBulk } from '../../features/services/bulk/bulk.ts';
import type { BulkDeps } from '../../features/services/bulk/bulk-operation.ts';
import { bulkEvent, bulkMessages } from '../../features/services/bulk/messages.ts';
import { createBulkStore } from '../../features/services/bulk/store.ts';
import { createServices, type ServicesDeps } from '../../features/services/services.ts';
import type { Sites } from '../../features/sites/sites.ts';
import type { TenantConfigs } from '../../features/tenant-config/tenant-config.ts';
import type { TenantAdministration, Tenants } from '../../features/tenants/tenants.ts';
import type { Upgrades } from '../../features/upgrades/upgrades.ts';
import type { Clock } from '../../lib/clock.ts';
import { OperationEngine } from '../../lib/operations/engine.ts';
import { removeOrphanedStreamFiles } from '../lifecycle/orphaned-stream-files.ts';
import { composeBulkActions } from './bulk-actions.ts';
import type { composeTenantData } from './tenant-data.ts';

/** Control of tenants' services: what a start needs in addition to the runtime. */
export function composeServices({
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
  administration,
  healthTimeoutMs,
  dataDirectory,
}: Pick<ServicesDeps, 'writeAuditLog' | 'runtime' | 'events' | 'logger' | 'healthTimeoutMs'> &
  Omit<ReturnType<typeof composeTenantData>, 'lostData'> & {
    store: Store;
    clock: Clock;
    tenants: Tenants;
    engine: OperationEngine;
    configs: TenantConfigs;
    deployments: Deployments;
    diagnosis: DiagnosisService;
    logArchive: LogArchive;
    health: Health;
    sites: Sites;
    backups: Backups;
    upgrades: Upgrades;
    administration: TenantAdministration;
    dataDirectory: string;
  }) {
  const services = createServices({
    runtime,
    tenants,
    events,
    writeAuditLog,
    logger,
    specsOf: deployments.specsOf,
    assertData: deployments.lostData.assertPresent,
    rebuild: deployments.rebuild,
    async bringUpDatabase(tenant, { database }, work) {
      if (database === 'mariadb-container') await (await databaseOf(tenant, database)).ensure(work);
    },
    async writeEnvironment(tenant, release) {
      const written = await configs.writeEnvFile(tenant, await environmentOf(tenant, release));
      return () => configs.restoreEnvFile(written);
    },
    async proveHealthy(tenant, release, work, timeoutMs) {
      await health.proveHealthy(tenant, release, work, timeoutMs);
      await sites.steps.follow(tenant, release, work, timeoutMs);
    },
    engine,
    keptLines: logArchive.lastLines,
    diagnoseStarted: diagnosis.diagnoseStarted,
    recheck: health.recheck,
    healthTimeoutMs,
  });
  const actions = composeBulkActions({
    control: services,
    engine,
    tenants,
    health,
    deployments,
    backups,
    upgrades,
    administration,
    configs,
  });
  const bulk = composeBulk({
    store,
    clock,
    logger,
    events,
    writeAuditLog,
    tenants,
    actions,
    dataDirectory,
  });
  return { ...services, bulk, routes: [...services.routes, ...bulk.routes] };
}

/** Bulk operations at a time; further ones wait. Each works on several tenants at once. */
const concurrency = 2;
const stepTimeoutMs = 24 * 3_600_000;
/** Longer than the longest action of one tenant: a cancelled operation waits for those in progress. */
const graceMs = 2 * 3_600_000;
const busyTimeoutMs = 30_000;

/** Bulk operations, with an engine of their own: each takes the tenants it works on one by one. */
export function composeBulk({
  store,
  clock,
  logger,
  events,
  writeAuditLog,
  tenants,
  actions,
  dataDirectory,
}: Pick<BulkDeps, 'clock' | 'logger' | 'writeAuditLog' | 'tenants' | 'actions'> & {
  store: Store;
  events: EventBus;
  dataDirectory: string;
}) {
  const directory = join(dataDirectory, 'bulk');
  const rows = createBulkStore(store);
  const engine = new OperationEngine({
    journal: rows.journal,
    messages: bulkMessages,
    directory,
    clock,
    logger,
    concurrency: async () => concurrency,
    stepTimeoutMs: async () => stepTimeoutMs,
    graceMs,
    isTransient: isStoreUnavailable,
    onChange: (record) => events.publish(bulkEvent(record)),
  });
  return {
    ...createBulk(rows, { clock, logger, writeAuditLog, tenants, actions, engine, busyTimeoutMs }),
    async removeEndedBefore(date: Date): Promise<void> {
      await rows.removeEndedBefore(date);
      await removeOrphanedStreamFiles(directory, rows.recorded);
    },
  };
}
