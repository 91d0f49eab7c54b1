import type { IncomingMessage, Server } from 'node:http';
import compression from 'compression';
import cors from 'cors';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { AppError } from '../../lib/errors.ts';
import type { Reserve } from '../../lib/files/reserve.ts';
import { type ConnectionLimits, limitConnections } from '../../lib/http/connections/connection-limits.ts';
import { createOpenStreams } from '../../lib/http/connections/open-streams.ts';
import { createServer } from '../../lib/http/node-http.ts';
import { docsAssets, docsRoutes } from '../../lib/http/openapi/docs.ts';
import { describeRoutes, type OpenApiDocument } from '../../lib/http/openapi/openapi.ts';
import { answerBrokenRequests } from '../../lib/http/requests/broken-requests.ts';
import { identifyRequests, logRequests } from '../../lib/http/requests/request-log.ts';
import { errorMiddleware, type TranslateError } from '../../lib/http/responses/errors.ts';
import { createMetrics, type Metrics } from '../../lib/http/responses/metrics.ts';
import { probeRoutes } from '../../lib/http/responses/probes.ts';
import { type MountOptions, mountRoutes } from '../../lib/http/routing/mount.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { Logger } from '../../lib/logger.ts';
import { maxConnections, maxConnectionsPerAddress } from './connection-limits.ts';

export interface HttpServerOptions extends Omit<Parameters<typeof probeRoutes>[0], 'stopping'> {
  /** The routes of the features; the server's own (health, metrics, description) are added. */
  routes: readonly Route[];
  onStream?: MountOptions['onStream'];
  translateError?: TranslateError | undefined;
  /** Of the disk with the store. */
  reserve?: Pick<Reserve, 'release'> | undefined;
  /** See MountOptions; on in tests. */
  checkAnswers?: boolean;
  logger: Logger;
  version: string;
  /** Reverse proxies whose `X-Forwarded-For` is believed: addresses, subnets, `loopback`. */
  trustProxy: readonly string[];
  /** Origins whose pages may call the API: the dashboard's. */
  origins: readonly string[];
  /** A fixed token that reads `/metrics`. */
  metricsToken?: string | undefined;
}

export interface HttpServer {
  /** For the live streams, which share the port. */
  server: Server;
  /** The whole route table, the server's own routes too. */
  routes: readonly Route[];
  describe(): OpenApiDocument;
  /** Where features add their gauges. */
  metrics: Metrics;
  /** For the dashboard's port too. */
  connectionLimits: ConnectionLimits;
  /** The client's address, behind trusted proxies too: as `request.ip`, for requests that don't pass express. */
  addressOf(request: IncomingMessage): string;
  /**
   * New requests are answered 503 from now on, event streams are broken off, other requests go on; when `graceMs` is over
   * they are cut off.
   */
  stop(graceMs: number): Promise<void>;
}

/** A request's head must be here within this time: slow senders must not hold connections. */
const headersTimeoutMs = 20_000;
/** Large uploads over slow lines take long; the user is authenticated and authorized before the body is read. */
const requestTimeoutMs = 30 * 60_000;
/** Longer than reverse proxies keep idle connections, so that this side never closes one that is about to be reused. */
const keepAliveTimeoutMs = 75_000;
const maxHeaderBytes = 16 * 1024;

/** The manager's HTTP server: every route behind the same middleware, errors last. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  let stopping = false;
  const metrics = createMetrics(options.metricsToken);
  const openStreams = createOpenStreams();
  let description: OpenApiDocument | undefined;
  const describe = (): OpenApiDocument => {
    description ??= describeRoutes(routes, {
      title: 'Tenantry',
      version: options.version,
      description: 'Registers, configures, deploys, watches, upgrades and deletes instances of one web application.',
    });
    return description;
  };
  const routes: readonly Route[] = [
    ...options.routes,
    ...probeRoutes({ ...options, stopping: () => stopping }),
    ...metrics.routes,
    ...docsRoutes(describe),
  ];

  const app = createApp(options, { routes, metrics, track: openStreams.track, stopping: () => stopping });
  const trusts: (address: string, hop: number) => boolean = app.get('trust proxy fn');
  const connectionLimits: ConnectionLimits = {
    total: maxConnections(),
    perAddress: maxConnectionsPerAddress,
    isExempt: (address) => isLoopback(address) || trusts(address, 0),
  };
  const server = createServer({ maxHeaderSize: maxHeaderBytes, keepAliveTimeout: keepAliveTimeoutMs }, app);
  server.headersTimeout = headersTimeoutMs;
  server.requestTimeout = requestTimeoutMs;
  // An unknown Expect header is ignored instead of refused without a body.
  server.on('checkExpectation', app);
  answerBrokenRequests(server);
  limitConnections(server, connectionLimits);

  return {
    server,
    routes,
    describe,
    metrics,
    connectionLimits,
    addressOf: ({ socket, headers }) => Object.assign(Object.create(app.request), { socket, headers }).ip ?? '',
    async stop(graceMs) {
      stopping = true;
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      openStreams.closeAll();
      server.closeIdleConnections();
      const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cutOff);
    },
  };
}

/** A reverse proxy on this host is often not named in TRUST_PROXY. */
const isLoopback = (address: string): boolean => /^(?:(?:::ffff:)?127\.|::1$)/.test(address);

function createApp(
  options: HttpServerOptions,
  {
    routes,
    metrics,
    track,
    stopping,
  }: {
    routes: readonly Route[];
    metrics: Metrics;
    track: RequestHandler;
    stopping(): boolean;
  },
): Express {
  const app = express();
  app.set('trust proxy', options.trustProxy.length > 0 ? [...options.trustProxy] : false);
  app.set('etag', false);
  app.use(identifyRequests, track, metrics.measure, logRequests(options.logger), securityHeaders);
  app.use(cors({ ...corsOptions, origin: [...options.origins] }), answerPreflight);
  app.use(noStore, compressAnswers, refuseWhile(stopping));
  app.use(docsAssets());
  app.use(
    mountRoutes(routes, {
      authenticate: options.authenticate,
      onStream: options.onStream,
      checkAnswers: options.checkAnswers ?? false,
      async makeRoom(error) {
        const { code } = (options.translateError?.(error) ?? error) as { code?: unknown };
        return code === 'insufficient_storage' && (await options.reserve?.release()) === true;
      },
    }),
  );
  app.use((request) => {
    throw new AppError('not_found', `There is nothing at ${request.path}`);
  });
  app.use(errorMiddleware(options.logger, options.translateError));
  return app;
}

const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  // Whether a name is to be HTTPS for good is for the proxy that ends TLS to say: it may serve other names too.
  strictTransportSecurity: false,
});

const corsOptions = {
  methods: ['GET', 'POST', 'PUT', 'DELETE'],
  allowedHeaders: ['Authorization', 'Content-Type', 'Last-Event-ID', 'X-Request-Id'],
  exposedHeaders: ['X-Request-Id', 'Retry-After', 'Allow', 'Content-Disposition'],
  maxAge: 600,
  preflightContinue: true,
};

/** A browser's question before a request; any other OPTIONS is a method like others. */
const answerPreflight: RequestHandler = (request, response, next) => {
  if (request.method === 'OPTIONS' && request.get('Access-Control-Request-Method')) response.status(204).end();
  else next();
};

const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

/** Long lists; streams and files are left as they are. */
const compressAnswers = compression({
  threshold: 4_096,
  filter: (_request, response) => /^application\/json\b/.test(String(response.getHeader('Content-Type'))),
});

const refuseWhile =
  (stopping: () => boolean): RequestHandler =>
  (request, response, next) => {
    if (stopping()) {
      response.set('Connection', 'close');
      if (request.path !== '/healthz') {
        throw new AppError('shutting_down', 'The manager is stopping', { headers: { 'Retry-After': '5' } });
      }
    }
    next();
  };
