import type { Runtime } from '../../../adapters/runtimes/runtime.ts';
import type { Store } from '../../../adapters/store/store.ts';
import { createUnseenFaults, type UnseenFaults } from '../../../features/diagnosis/unseen-faults.ts';
import { type Attention, createAttention } from '../../../features/health/attention/attention.ts';
import { attentionRoutes } from '../../../features/health/attention/routes.ts';
import { nodeRoutes } from '../../../features/health/system/nodes.ts';
import { createSystemProblems, type SystemProblem } from '../../../features/health/system/problems.ts';
import { systemRoutes } from '../../../features/health/system/routes.ts';
import { createSystemService, type SystemService } from '../../../features/health/system/service.ts';
import { reportedFaults } from '../../../features/incidents/incidents.ts';
import type { Tenant } from '../../../features/tenants/tenant.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { Route } from '../../../lib/http/routing/route.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Config } from '../../config/config.ts';
import { cachedFor } from '../../lifecycle/cached-for.ts';
import type { App } from '../app.ts';

/** How long a measurement of the disk is reused. */
/** Each tenant's database server is asked. */
const [lostDataAgeMs, lostDataWithinMs] = [60_000, 30_000];
const diskAgeMs = 60_000;

/** The last alerts among which the faults are that last; a fault has one a day at most. */
const maxReported = 2_000;

/** How long the findings about the manager's dependencies are reused: each open dashboard asks. */
const problemsAgeMs = 5_000;

export interface System {
  routes: Route[];
  attention: Attention;
  /** The free space of the disks. */
  space: SystemService['space'];
  unseenFaults: UnseenFaults;
  /** What is wrong with the manager's dependencies. */
  problems(): Promise<SystemProblem[]>;
}

/** What concerns the manager itself, and what needs attention. */
export function composeSystem({
  config,
  app,
  store,
  origin,
  logger,
  version,
  hasStandby,
}: {
  config: Config;
  app: App;
  store: Store;
  origin: Runtime | undefined;
  logger: Logger;
  version: string;
  hasStandby(): Promise<boolean | undefined>;
}): System {
  const { auditLog, backups, engine, health, imports, proxy, runtime, settings, sites, tenants } = app;
  const system = createSystemService({
    store,
    runtime,
    origin,
    tenants,
    operations: engine,
    imports: imports.engine,
    clock: systemClock,
    logger,
    version,
    startedAt: systemClock.now(),
    metricsToken: config.METRICS_TOKEN !== undefined,
    dataDirectory: config.DATA_DIR,
    neededBytes: async () => (await settings.read('min_free_disk_mb')) * 1024 ** 2,
    hasStandby,
  });
  const findProblems = createSystemProblems({
    system,
    async proxy() {
      if (proxy.kind === 'none') return undefined;
      const answer = await proxy.availability();
      return answer.available ? { available: true } : answer;
    },
    proxyKind: proxy.kind,
    nodes: async () => (await runtime.nodes?.list().catch(() => [])) ?? [],
    driftedSites: () => (sites.states().get('edited') ?? 0) + (sites.states().get('missing') ?? 0),
  });
  const problems = cachedFor(findProblems, problemsAgeMs);
  const unseenFaults = createUnseenFaults({
    clock: systemClock,
    logger,
    tenants,
    examine: app.diagnosis.unseenFaults,
    reported: async () => reportedFaults(await app.notifications.alertsBy('unseen_fault/', maxReported)),
  });
  const attention = createAttention({
    clock: systemClock,
    tenants,
    health,
    lastCause: app.diagnosis.lastTitle,
    unseenFaults: unseenFaults.of,
    missingData: cachedFor(async () => {
      const deployed: Tenant[] = [];
      for await (const tenant of tenants.each({ deployedOnly: true })) deployed.push(tenant);
      return app.deployments.lostData.missing(deployed, AbortSignal.timeout(lostDataWithinMs));
    }, lostDataAgeMs),
    lastBackups: backups.lastOf,
    lastScheduledRuns: backups.schedules.lastRuns,
    lastStops: auditLog.lastStops,
    lastOutcomes: app.deploymentStore.lastOutcomes,
    updateOf: app.upgrades.updates.updateOf,
  });
  return {
    attention,
    space: system.space,
    unseenFaults,
    problems,
    routes: [
      ...attentionRoutes(attention, problems),
      ...systemRoutes({ overview: system.overview, disk: cachedFor(system.disk, diskAgeMs) }),
      ...nodeRoutes(runtime, auditLog.write),
    ],
  };
}
