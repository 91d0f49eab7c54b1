import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { storeFailure } from '../../adapters/store/translate-error.ts';
import { messageOf } from '../../lib/errors.ts';
import { createLogger, type Logger } from '../../lib/logger.ts';
import { ReplayStream } from '../../lib/streams/replay-stream.ts';
import { type App, type AppOptions, composeApp } from '../composition/app.ts';
import { composeSystem } from '../composition/system.ts';
import type { Config } from '../config/config.ts';
import { openDataDirectory } from '../config/data-directory.ts';
import type { HostEnvironment } from '../config/host-environment.ts';
import { createDashboard } from '../http/dashboard.ts';
import { addGauges } from '../http/gauges.ts';
import { assertFree, listenProblem } from '../http/listening.ts';
import { createHttpServer } from '../http/server.ts';
import { OpenStreams } from '../realtime/open-streams.ts';
import { createRealtime } from '../realtime/realtime.ts';
import { cachedFor } from './cached-for.ts';
import { firstAdminNotice, initialPasswordIn } from './initial-password.ts';
import { openParts } from './open-parts.ts';
import { removeOrphanedStreamFiles } from './orphaned-stream-files.ts';
import { housekeeping, startSchedules } from './schedules.ts';

export interface Manager {
  /** `http://<host>:<port>` */
  url: string;
  /** Of the dashboard; undefined where it could not listen. */
  dashboardUrl: string | undefined;
  house: App;
  routes: ReturnType<typeof createHttpServer>['routes'];
  /** How many live streams are open. */
  openStreams(): number;
  /** Takes no more requests, ends work where it stands (to be resumed), and closes everything. */
  stop(): Promise<void>;
}

/** What tests set beside the environment. */
export interface ManagerOptions extends Pick<AppOptions, 'bcryptCost' | 'healthTimeoutMs' | 'importing'> {
  logger?: Logger;
  checkAnswers?: boolean;
  /** `--forget-secrets`: clear what another SECRET_KEY encrypted. */
  forgetSecrets?: boolean;
}

const stopGraceMs = 10_000;
const dashboardDirectory = join(import.meta.dirname, '..', '..', '..', 'dashboard', 'dist');

/**
 * Starts the manager: takes the data directory, opens the store, wires the house, takes up what an earlier manager left,
 * and listens.
 * @throws ConfigError where the environment, the data directory or the port can't be used
 */
export async function startManager(
  config: Config,
  host: HostEnvironment,
  options: ManagerOptions = {},
): Promise<Manager> {
  const { forgetSecrets = false } = options;
  const logger = options.logger ?? createLogger({ level: config.LOG_LEVEL });
  const apiPlace = { host: config.HOST, port: config.PORT };
  const dashboardPlace = { host: config.HOST, port: config.DASHBOARD_PORT };
  await assertFree('PORT', apiPlace);
  const directory = await openDataDirectory(config.DATA_DIR, config.SECRET_KEY);
  const { store, runtime } = await openParts({ config, directory, host, logger, forgetSecrets });
  const house = composeApp({ ...options, config, secretKey: directory.secretKey, host, store, runtime, logger });

  warnOfPortPool(house, runtime.kind, logger);

  const initialPassword = initialPasswordIn(directory.path);
  const admin = await house.accounts.ensureFirstAdmin(config.ADMIN_PASSWORD, initialPassword.keep);
  if (admin.password) console.log(firstAdminNotice(admin, initialPassword.path, process.stdout.isTTY));
  const removeChangedPassword = async (): Promise<void> => {
    if (!(await house.accounts.hasInitialPassword())) await initialPassword.remove();
  };
  await removeChangedPassword();

  const version = await ownVersion();
  const authenticate = house.accounts.authenticateCredential;
  const openStreams = new OpenStreams({ authenticate, logger });
  // The manager is in each of these networks, or has an address there.
  const refusedPeers = runtime.kind === 'docker' ? [config.DOCKER_NETWORK_POOL] : [];
  const http = createHttpServer({
    routes: [...house.routes, ...composeSystem({ config, house, store, logger, version })],
    authenticate: house.accounts.authenticate,
    onStream(principal, request, response) {
      const credential = house.accounts.credentialOf(request);
      if (!credential) throw new Error('An event stream needs an authenticated caller');
      // A client that has gone during the authentication emits no further `close`: its place would never be given back.
      if (response.destroyed) return;
      const caller = { principal, credential, address: request.ip ?? '' };
      response.once(
        'close',
        openStreams.open(caller, () => response.destroy()),
      );
    },
    checkAnswers: options.checkAnswers ?? false,
    logger,
    version,
    trustProxy: config.TRUST_PROXY,
    origins: config.DASHBOARD_ORIGIN,
    metricsToken: config.METRICS_TOKEN,
    refusedPeers,
    pingStore: () => store.ping(),
    translateError: storeFailure,
    runtime: async () => ({ kind: runtime.kind, ...detailOf(await runtime.availability()) }),
    async proxy() {
      const { kind } = house.proxy;
      return kind === 'none' ? undefined : { kind, ...detailOf(await proxyAvailability()) };
    },
  });
  // Anybody may ask for readiness, and each look at the proxy runs a program.
  const proxyAvailability = cachedFor(() => house.proxy.availability(), 5_000);
  addGauges(http.metrics, house);
  const news = new ReplayStream({ ring: 1_000 });
  house.events.onAny((event) => void news.append({ ...event }));
  const live = createRealtime({
    httpServer: http.server,
    streams: {
      deployment: async (id) => house.engine.stream((await house.deployments.get(id)).id),
      health: (id) => house.health.stream(id),
      tenant_logs: (id, { service }) => house.services.logStream(id, service),
      import: (id) => house.imports.stream(id),
      bulk: (id) => house.services.bulk.stream(id),
      events: async () => news,
    },
    authenticate,
    ticketCredential: house.accounts.ticketCredential,
    cookieCredential: house.accounts.browserSessions.credentialOf,
    addressOf: http.addressOf,
    openStreams,
    allowedOrigins: config.DASHBOARD_ORIGIN,
    logger,
  });

  house.accounts.onAccessChange(() => {
    void openStreams.recheck();
    removeChangedPassword().catch((error: unknown) =>
      logger.error({ err: error }, 'initial password file not removed'),
    );
  });

  const dashboard = createDashboard({
    directory: dashboardDirectory,
    api: http.server,
    connectionLimits: http.connectionLimits,
    refusedPeers,
  });
  let stopSchedules = async (): Promise<void> => undefined;
  async function stop(): Promise<void> {
    logger.info('stopping');
    live.close();
    await Promise.all([
      http.stop(stopGraceMs),
      dashboard.stop(),
      house.engine.stop(),
      house.fleets.stop(),
      house.services.bulk.engine.stop(),
      house.imports.engine.stop(),
      house.analyses.engine.stop(),
      stopSchedules(),
    ]);
    await house.backups.close();
    await house.health.close();
    house.services.close();
    await runtime.close();
    await house.proxy.close();
    await house.tenantApi.close();
    await store.close();
    await directory.release();
  }

  await house.source.open();
  await runtime.open();
  // One that can't be opened is told by readiness, and where it is needed.
  await house.proxy
    .open()
    .catch((error: unknown) => logger.error({ message: messageOf(error) }, 'the reverse proxy could not be opened'));
  await house.backups.removeLeftovers();
  await house.themes.removeOrphans();
  await house.health.open();
  await house.engine.recover();
  await house.fleets.recover();
  await house.services.bulk.engine.recover();
  await house.imports.recover();
  await house.analyses.engine.recover();
  void house.backups.scratchDatabases.clear();
  // An engine that is away is asked again by the schedule.
  await house.putBack().catch(() => 0);
  const port = await http.listen(apiPlace.port, apiPlace.host).catch(async (error: unknown) => {
    await stop();
    throw listenProblem('PORT', apiPlace, error);
  });
  const dashboardUrl = await dashboard.listen(dashboardPlace.port, dashboardPlace.host).then(
    (dashboardPort) => `http://${config.HOST}:${dashboardPort}`,
    // The API is of more use without its pages than not at all.
    (error: unknown) => {
      const { message } = listenProblem('DASHBOARD_PORT', dashboardPlace, error);
      logger.error({ message }, 'the dashboard can’t be served, the API can');
      return undefined;
    },
  );
  stopSchedules = startSchedules(
    housekeeping(house, {
      removeStrayStreams: () =>
        removeOrphanedStreamFiles(join(directory.path, 'operations'), house.deployments.recorded),
    }),
    logger,
  );
  const url = `http://${config.HOST}:${port}`;
  // A change of host names that an earlier manager did not get to is made now.
  void house.proxying
    .checkDrift()
    .catch((error: unknown) => logger.warn({ message: messageOf(error) }, 'the proxy was not looked at'));
  logger.info({ url, dashboard: dashboardUrl, runtime: runtime.kind, proxy: house.proxy.kind }, 'Tenantry is ready');

  return { url, dashboardUrl, house, routes: http.routes, openStreams: () => openStreams.size, stop };
}

/** In a container the manager publishes no ports of tenants. */
function warnOfPortPool({ ports }: App, runtime: string, logger: Logger): void {
  const warning = runtime === 'docker' && existsSync('/.dockerenv') ? undefined : ports.ephemeralWarning();
  if (warning) logger.warn(warning);
}

const detailOf = (
  answer: { available: true; version: string } | { available: false; reason: string },
): { available: boolean; detail: string } => ({
  available: answer.available,
  detail: answer.available ? answer.version : answer.reason,
});

async function ownVersion(): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '..', '..', '..', 'package.json'), 'utf8');
  return String(JSON.parse(text).version);
}
