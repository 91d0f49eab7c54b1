import { join } from 'node:path';
import type { Store } from '../../adapters/store/store.ts';
import { isStoreUnavailable } from '../../adapters/store/translate-error.ts';
import { createPreflight, type PreflightDeps, preflightMessages } from '../../features/preflight/preflight.ts';
import { createPreflightStore } from '../../features/preflight/store.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { OperationEngine } from '../../lib/operations/engine.ts';
import { offsite } from '../config/backup-settings.ts';
import type { Config } from '../config/config.ts';
import { removeOrphanedStreamFiles } from '../lifecycle/orphaned-stream-files.ts';
import type { App } from './app.ts';

/** A pull that moves has no other limit. */
const stepTimeoutMs = 3_600_000;

/** The checks of this host, with an engine of their own: they work on no tenant. */
export function composePreflight({
  app,
  store,
  config,
  instance,
  logger,
  space,
  outsideUrl,
}: {
  app: App;
  store: Store;
  config: Config;
  instance: string;
  logger: Logger;
} & Pick<PreflightDeps, 'space' | 'outsideUrl'>) {
  const { databases, notifications, proxy, registryAccess, runtime, settings } = app;
  const directory = join(config.DATA_DIR, 'preflight');
  const rows = createPreflightStore(store);
  const engine = new OperationEngine({
    journal: rows,
    messages: preflightMessages,
    directory,
    clock: systemClock,
    logger,
    concurrency: async () => 1,
    stepTimeoutMs: async () => stepTimeoutMs,
    isTransient: isStoreUnavailable,
  });
  const { TENANT_DATABASE_URL: url, MARIADB_IMAGE: image } = config;
  const shared =
    url === undefined ? undefined : { server: new URL(url).host, adapter: databases.adapter('mariadb-shared') };
  const container = databases.has('mariadb-container') ? ({ kind: 'container', image } as const) : undefined;
  const database = shared ? ({ kind: 'shared', server: shared.server, adapter: shared.adapter } as const) : container;
  const preflight = createPreflight(rows, {
    engine,
    removeOldStreams: () => removeOrphanedStreamFiles(directory, rows.recorded),
    runtime,
    access: registryAccess,
    database,
    proxy,
    proxyPorts:
      config.CERTIFICATES === 'none' ? [config.PROXY_HTTP_PORT] : [config.PROXY_HTTP_PORT, config.PROXY_HTTPS_PORT],
    offsite: offsite(settings),
    mail: notifications.channels,
    storeAheadMs: () => store.clockAheadMs(),
    space,
    instance,
    dataDirectory: config.DATA_DIR,
    outsideUrl,
  });
  return { engine, routes: preflight.routes, stream: preflight.stream };
}
