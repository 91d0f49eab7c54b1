import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { AppError, invalid } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import { parse } from '../platform/http/parse.ts';
import type { Connection } from './live/connection.ts';
import { bearerProtocol, csrfProtocol, type SessionToken, tokenOf } from './live/credentials.ts';
import { PlainSocket } from './live/plain-socket.ts';
import { presentable, refuseUpgrade } from './live/refusal.ts';
import { type AuthenticateToken, admit, Sessions } from './live/sessions.ts';
import { SocketIoConnection } from './live/socket-io-connection.ts';
import { createSocketIo, socketIoPath } from './live/socket-io-server.ts';
import { openStream, type StreamRegistry, streamAt, streamQuery } from './live/streams.ts';

export interface LiveOptions {
  /** With its request listener already in place: Socket.io puts itself before it. */
  httpServer: Server;
  streams: StreamRegistry;
  authenticateToken: AuthenticateToken;
  /** Where a browser's session counts too. */
  sessionToken?: SessionToken;
  /** The dashboard's origins, for Socket.io's polling from another port or host. */
  allowedOrigins: readonly string[];
  logger: Logger;
  /** Milliseconds. */
  timing?: Partial<typeof usualTiming>;
}

/** The live side of the API. */
export interface Live {
  /** How many connections are open. */
  connections(): number;
  /** Looks at the tokens of all open connections now; else it is done on a timer. */
  recheck(): Promise<void>;
  /** Ends all connections (1001) and takes no more. To be called before what feeds the streams is stopped. */
  close(): void;
}

const usualTiming = {
  /** Between pings; a peer that has not answered one by the next is dropped. */
  heartbeat: 20_000,
  /** How long a viewer's socket may take nothing. */
  dropStalledAfter: 10_000,
  sweepEvery: 1_000,
  recheckEvery: 15_000,
};
const mostClientBytes = 8_192;
const mostConnections = 5_000;

/** Serves streams on the HTTP server's port: plain WebSockets under `/ws`, Socket.io in the namespace `/streams`. */
export function createLive(options: LiveOptions): Live {
  const { httpServer, streams, authenticateToken, logger } = options;
  const timing = { ...usualTiming, ...options.timing };
  const sessions = new Sessions(authenticateToken, logger);
  const connections = new Set<Connection>();
  let closing = false;

  const keep = (connection: Connection): (() => void) => {
    connections.add(connection);
    const leave = sessions.add(connection);
    return () => {
      connections.delete(connection);
      leave();
    };
  };

  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: mostClientBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => [bearerProtocol, csrfProtocol].find((protocol) => offered.has(protocol)) ?? false,
  });
  sockets.on('wsClientError', (error, socket, request) => {
    refuseUpgrade(socket, invalid('request', error.message), requestIdOf(request));
  });

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const place = streamAt(url.pathname);
    if (!place) throw new AppError('not_found', 'There is no stream at this path');
    if (closing) throw new AppError('shutting_down', 'The manager is stopping; try again in a moment');
    if (connections.size >= mostConnections) throw new AppError('rate_limited', 'Too many open streams');
    const token = tokenOf(request, url.searchParams, options.sessionToken);
    await admit(authenticateToken, token);
    const query = parse(streamQuery, Object.fromEntries(url.searchParams));
    const { tail, since } = await openStream(streams, { ...place, ...query });
    // Meanwhile the client may have gone, or the manager begun to stop.
    if (socket.destroyed) return;
    if (closing) throw new AppError('shutting_down', 'The manager is stopping; try again in a moment');
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new PlainSocket({ token: token ?? '', webSocket, socket, tail, since });
      webSocket.once('close', keep(connection));
    });
  };

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (request.url?.startsWith(`${socketIoPath}/`)) return;
    const hungUp = (): void => void socket.destroy();
    socket.on('error', hungUp);
    upgrade(request, socket, head).catch((thrown: unknown) => {
      const requestId = requestIdOf(request);
      refuseUpgrade(socket, presentable(thrown, requestId, logger), requestId);
    });
  };
  httpServer.on('upgrade', onUpgrade);

  const socketIo = createSocketIo({
    httpServer,
    authenticateToken,
    sessionToken: options.sessionToken,
    allowedOrigins: options.allowedOrigins,
    logger,
    mostClientBytes,
    heartbeat: timing.heartbeat,
    onConnection(socket, token) {
      const connection = new SocketIoConnection({ token, socket, streams, logger });
      socket.once('disconnect', keep(connection));
    },
  });

  const timers = [
    setInterval(() => {
      for (const connection of connections) connection.dropIfStalled(timing.dropStalledAfter);
    }, timing.sweepEvery),
    setInterval(() => {
      for (const connection of connections) connection.heartbeat();
    }, timing.heartbeat),
    setInterval(() => void sessions.recheck(), timing.recheckEvery),
  ];
  for (const timer of timers) timer.unref();

  return {
    connections: () => connections.size,
    recheck: () => sessions.recheck(),
    close() {
      closing = true;
      for (const timer of timers) clearInterval(timer);
      for (const connection of connections) connection.goAway();
      socketIo.close();
    },
  };
}

/** The id under which a handshake stands in the log. */
const requestIds = new WeakMap<IncomingMessage, string>();
function requestIdOf(request: IncomingMessage): string {
  const id = requestIds.get(request) ?? randomUUID();
  requestIds.set(request, id);
  return id;
}
