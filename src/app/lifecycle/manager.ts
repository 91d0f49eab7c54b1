import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { storeFailure } from '../../adapters/store/translate-error.ts';
import { messageOf } from '../../lib/errors.ts';
import { createReserve } from '../../lib/files/reserve.ts';
import { refusePeers } from '../../lib/http/connections/refused-peers.ts';
import { createLogger, type Logger } from '../../lib/logger.ts';
import { ReplayStream } from '../../lib/streams/replay-stream.ts';
import { type App, composeApp } from '../composition/app.ts';
import type { AppOptions } from '../composition/app-options.ts';
import { composeIncidents } from '../composition/monitoring/incidents.ts';
import { composeSystem } from '../composition/monitoring/system.ts';
import { composePreflight } from '../composition/preflight.ts';
import type { Config } from '../config/config.ts';
import type { HostEnvironment } from '../config/host-environment.ts';
import { createDashboard } from '../http/dashboard.ts';
import { addGauges } from '../http/gauges.ts';
import { assertFree, listenAt } from '../http/listening.ts';
import { createHttpServer } from '../http/server.ts';
import { OpenStreams } from '../realtime/open-streams.ts';
import { createRealtime } from '../realtime/realtime.ts';
import { cachedFor } from './cached-for.ts';
import { firstAdminNotice, initialPasswordIn } from './initial-password.ts';
import { openParts } from './open-parts.ts';
import { removeOrphanedStreamFiles } from './orphaned-stream-files.ts';
import { refusedBy } from './refused-addresses.ts';
import { housekeeping, startSchedules } from './schedules.ts';

export interface Manager {
  /** `http://<host>:<port>` */
  url: string;
  /** Of the dashboard; undefined where it could not listen. */
  dashboardUrl: string | undefined;
  app: App;
  routes: ReturnType<typeof createHttpServer>['routes'];
  /** How many live streams are open. */
  openStreams(): number;
  /** Diagnoses all healthy tenants now, as the schedule does every 15 minutes. */
  findUnseenFaults(): Promise<void>;
  /** Alerts about states that last, such as a certificate that expires, now; the schedule does it every 5 minutes. */
  reportConditions(): Promise<void>;
  /** Accepts no more requests, interrupts running work (the next start resumes it), and closes everything. */
  stop(): Promise<void>;
}

/** What tests set in addition to the environment. */
export interface ManagerOptions
  extends Pick<AppOptions, 'bcryptCost' | 'healthTimeoutMs' | 'importing' | 'wrapJournal'> {
  logger?: Logger;
  checkAnswers?: boolean;
  /** The longest pause of what looks for alerts to send, in seconds. */
  alertSeconds?: number;
  /** The address that the check of this host asks over HTTPS. */
  outsideUrl?: string;
  /** `--forget-secrets`: clear what another SECRET_KEY encrypted. */
  forgetSecrets?: boolean;
}

const stopGraceMs = 10_000;
const dashboardDirectory = join(import.meta.dirname, '..', '..', '..', 'dashboard', 'dist');

/**
 * Starts the manager: takes the store and the data directory, composes the app, resumes what an earlier manager left,
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
  const apiAddress = { name: 'PORT', host: config.HOST, port: config.PORT } as const;
  const dashboardAddress = { name: 'DASHBOARD_PORT', host: config.HOST, port: config.DASHBOARD_PORT } as const;
  await assertFree(apiAddress);
  const version = await ownVersion();
  const parts = await openParts({ config, host, logger, version, forgetSecrets });
  const { directory, store, instance, runtime, origin } = parts;
  const app = await composeApp({
    ...options,
    config,
    instance,
    secretKey: directory.secretKey,
    host,
    store,
    runtime,
    origin,
    logger,
  });

  warnOfPortPool(app, runtime.kind, logger);

  const initialPassword = initialPasswordIn(directory.path);
  const admin = await app.accounts.ensureFirstAdmin(config.ADMIN_PASSWORD, initialPassword.keep);
  if (admin.password) console.log(firstAdminNotice(admin, initialPassword.path, process.stdout.isTTY));
  const removeChangedPassword = async (): Promise<void> => {
    if (!(await app.accounts.hasInitialPassword())) await initialPassword.remove();
  };
  await removeChangedPassword();

  const system = composeSystem({ config, app, store, origin, logger, version, hasStandby: parts.hasStandby });
  const alarms = composeIncidents({ app, store, system, logger });
  const { space } = system;
  const { outsideUrl } = options;
  const preflight = composePreflight({ app, store, config, instance, logger, space, outsideUrl });
  const authenticate = app.accounts.authenticateCredential;
  const openStreams = new OpenStreams({ authenticate, logger });
  const reserve = createReserve(join(directory.path, 'reserve'));
  await reserve.fill().catch(() => undefined);
  const http = createHttpServer({
    routes: [...app.routes, ...system.routes, ...preflight.routes, ...alarms.routes],
    authenticate: app.accounts.authenticate,
    onStream(principal, request, response) {
      const credential = app.accounts.credentialOf(request);
      if (!credential) throw new Error('An event stream needs an authenticated caller');
      // A client that disconnected during the authentication emits no further `close`: its slot would never be released.
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
    pingStore: () => store.ping(),
    translateError: storeFailure,
    reserve,
    runtime: async () => ({ kind: runtime.kind, ...detailOf(await runtime.availability()) }),
    async proxy() {
      const { kind } = app.proxy;
      return kind === 'none' ? undefined : { kind, ...detailOf(await proxyAvailability()) };
    },
  });
  const stopping = new AbortController();
  const isRefused = refusedBy({
    runtime,
    config,
    isTrusted: http.connectionLimits.isExempt,
    logger,
    signal: stopping.signal,
  });
  refusePeers(http.server, isRefused);
  // Readiness needs no authentication, and each check of the proxy runs a program.
  const proxyAvailability = cachedFor(() => app.proxy.availability(), 5_000);
  addGauges(http.metrics, app);
  const liveEvents = new ReplayStream({ ring: 1_000 });
  app.events.onAny((event) => void liveEvents.append({ ...event }));
  const live = createRealtime({
    httpServer: http.server,
    streams: {
      deployment: async (id) => app.engine.stream((await app.deployments.get(id)).id),
      health: (id) => app.health.stream(id),
      tenant_logs: (id, { service }) => app.services.logStream(id, service),
      import: (id) => app.imports.stream(id),
      bulk: (id) => app.services.bulk.stream(id),
      preflight: (id) => preflight.stream(id),
      events: async () => liveEvents,
    },
    authenticate,
    ticketCredential: app.accounts.ticketCredential,
    cookieCredential: app.accounts.browserSessions.credentialOf,
    addressOf: http.addressOf,
    openStreams,
    allowedOrigins: config.DASHBOARD_ORIGIN,
    logger,
  });

  app.accounts.onAccessChange(() => {
    void openStreams.recheck();
    removeChangedPassword().catch((error: unknown) =>
      logger.error({ err: error }, 'initial password file not removed'),
    );
  });

  const dashboard = createDashboard({
    directory: dashboardDirectory,
    api: http.server,
    connectionLimits: http.connectionLimits,
    isRefused,
  });
  let stopSchedules = async (): Promise<void> => undefined;
  async function stop(): Promise<void> {
    logger.info('stopping');
    stopping.abort();
    live.close();
    await Promise.all([
      http.stop(stopGraceMs),
      dashboard.stop(),
      app.engine.stop(),
      app.fleets.stop(),
      app.services.bulk.engine.stop(),
      app.imports.engine.stop(),
      app.analyses.engine.stop(),
      preflight.engine.stop(),
      app.syntheticChecks.close(),
      stopSchedules(),
    ]);
    await app.backups.close();
    await app.health.close();
    await alarms.incidents.close();
    await app.history.close();
    app.services.close();
    await runtime.close();
    app.sites.close();
    await app.proxy.close();
    await app.tenantApi.close();
    await parts.close();
  }

  await app.source.open();
  await runtime.open();
  // Readiness, and operations that need it, report one that can't be opened.
  await app.proxy
    .open()
    .catch((error: unknown) => logger.error({ message: messageOf(error) }, 'the reverse proxy could not be opened'));
  await app.backups.removeLeftovers();
  await app.themes.removeOrphans();
  await app.health.open();
  await alarms.incidents.open();
  await alarms.alertSources.open();
  await app.history.open().catch((error: unknown) => {
    logger.error({ message: messageOf(error) }, 'measurements of the last hour could not be read');
  });
  app.health.onReport(app.history.record);
  await app.engine.recover();
  await app.fleets.recover();
  await app.services.bulk.engine.recover();
  await app.imports.recover();
  await app.analyses.engine.recover();
  await preflight.engine.recover();
  void app.backups.scratchDatabases.clear();
  // The schedule retries when the engine is unavailable.
  await app.rollBackInterrupted().catch(() => 0);
  const port = await listenAt(http.server, apiAddress).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const dashboardUrl = await listenAt(dashboard.server, dashboardAddress).then(
    (dashboardPort) => `http://${config.HOST}:${dashboardPort}`,
    // The API is of more use without its pages than not at all.
    (error: unknown) => {
      logger.error({ message: messageOf(error) }, 'the dashboard can’t be served, the API can');
      return undefined;
    },
  );
  stopSchedules = startSchedules(
    housekeeping(app, {
      ...alarms,
      unseenFaults: system.unseenFaults,
      fillReserve: reserve.fill,
      removeOrphanedStreams: () =>
        removeOrphanedStreamFiles(join(directory.path, 'operations'), app.deployments.recorded),
      alertSeconds: options.alertSeconds,
    }),
    logger,
  );
  const url = `http://${config.HOST}:${port}`;
  // A change of host names that an earlier manager did not get to is made now.
  void app.sites
    .checkDrift()
    .then(() => (runtime.onMove ? app.sites.followAll() : undefined))
    .catch((error: unknown) => logger.warn({ message: messageOf(error) }, 'the proxy was not looked at'));
  logger.info({ url, dashboard: dashboardUrl, runtime: runtime.kind, proxy: app.proxy.kind }, 'Tenantry is ready');

  return {
    url,
    dashboardUrl,
    app,
    routes: http.routes,
    openStreams: () => openStreams.size,
    findUnseenFaults: () => system.unseenFaults.run(new AbortController().signal),
    reportConditions: () => alarms.alertSources.reportConditions(),
    stop,
  };
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
