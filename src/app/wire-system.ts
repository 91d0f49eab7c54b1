import { systemRoutes } from '../features/system/routes.ts';
import { createSystemService } from '../features/system/service.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Route } from '../platform/http/route.ts';
import type { Store } from '../platform/store/store.ts';
import type { Config } from './config.ts';
import { seldom } from './seldom.ts';
import type { House } from './wire.ts';

interface SystemParts {
  config: Config;
  house: House;
  store: Store;
  logger: Logger;
  version: string;
}

/** The walk over the disk is shared by all who ask within this time. */
const diskAgeMs = 60_000;

/** What is told of the manager as a whole, begun with its start. */
export function wireSystem({ config, house, store, logger, version }: SystemParts): Route[] {
  const { engine, imports, runtime, settings, tenants } = house;
  const system = createSystemService({
    store,
    runtime,
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
  });
  return systemRoutes({ overview: system.overview, disk: seldom(system.disk, diskAgeMs) });
}
