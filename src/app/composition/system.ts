import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import type { Store } from '../../adapters/store/store.ts';
import { nodeRoutes } from '../../features/health/system/nodes.ts';
import { systemRoutes } from '../../features/health/system/routes.ts';
import { createSystemService } from '../../features/health/system/service.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Config } from '../config/config.ts';
import { cachedFor } from '../lifecycle/cached-for.ts';
import type { App } from './app.ts';

/** How long a measurement of the disk is reused. */
const diskAgeMs = 60_000;

/** Routes about the manager itself: overview, disk usage, and the nodes of its runtime. */
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
}): Route[] {
  const { engine, imports, runtime, settings, tenants } = app;
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
  return [
    ...systemRoutes({ overview: system.overview, disk: cachedFor(system.disk, diskAgeMs) }),
    ...nodeRoutes(runtime, app.auditLog.write),
  ];
}
