import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';
import { AppError, invalid, messageOf } from '../../lib/errors.ts';
import type { Credential } from '../../lib/http/requests/credential.ts';
import { parse } from '../../lib/http/routing/parse.ts';
import type { Logger } from '../../lib/logger.ts';
import { type Authenticate, admit } from './admit.ts';
import type { Connection } from './connection.ts';
import { bearerProtocol, type CookieCredential, credentialOf, csrfProtocol } from './credentials.ts';
import type { OpenStreams } from './open-streams.ts';
import { PlainSocket } from './plain-socket.ts';
import { presentable, refuseUpgrade } from './refusal.ts';
import { openStream, type StreamRegistry, streamAt, streamQuery } from './streams.ts';

export interface RealtimeOptions {
  /** With its request listener already in place. */
  httpServer: Server;
  streams: StreamRegistry;
  authenticate: Authenticate;
  /** Where a browser's session counts too. */
  cookieCredential?: CookieCredential;
  /** The credential behind a one-time ticket, where they are accepted. @throws AppError unauthorized */
  ticketCredential?: (ticket: unknown, path: string) => Credential | undefined;
  /** The client's address, behind trusted proxies too. */
  addressOf(request: IncomingMessage): string;
  /** Shared with the server-sent events; its timer ends with this. */
  openStreams: OpenStreams;
  /** The dashboard's origins, for Socket.io's polling from another port or host. */
  allowedOrigins: readonly string[];
  logger: Logger;
  /** Milliseconds. */
  timing?: Partial<typeof usualTiming>;
}

/** The live side of the API. */
export interface Realtime {
  /** How many connections are open. */
  connections(): number;
  /** Ends all connections (1001) and takes no more. To be called before what feeds the streams is stopped. */
  close(): void;
}

const usualTiming = {
  /** Between pings; a peer that has not answered one by the next is dropped. */
  heartbeat: 20_000,
  /** How long a viewer's socket may accept no data. */
  dropStalledAfter: 10_000,
  sweepEvery: 1_000,
};
const mostClientBytes = 8_192;

/** Serves streams on the HTTP server's port: plain WebSockets under `/ws`, Socket.io in the namespace `/streams`. */
export function createRealtime(options: RealtimeOptions): Realtime {
  const { httpServer, streams, authenticate, logger, openStreams } = options;
  const timing = { ...usualTiming, ...options.timing };
  const connections = new Set<Connection>();
  let closing = false;

  const keep = (connection: Connection): (() => void) => {
    connections.add(connection);
    return () => void connections.delete(connection);
  };

  let sockets: WebSocketServer | undefined;
  const webSockets = async (): Promise<WebSocketServer> => {
    const ws = await import('ws');
    sockets ??= new ws.WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: mostClientBytes,
      perMessageDeflate: false,
      handleProtocols: (offered) => [bearerProtocol, csrfProtocol].find((protocol) => offered.has(protocol)) ?? false,
    }).on('wsClientError', (error, socket, request) => {
      refuseUpgrade(socket, invalid('request', error.message), requestIdOf(request));
    });
    return sockets;
  };

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const url = URL.parse(request.url ?? '/', 'http://localhost');
    // As with requests, only a path in its normal form is valid: `/ws/x/../events` is not.
    const place = url && url.pathname === request.url?.split('?', 1)[0] ? streamAt(url.pathname) : undefined;
    if (!url || !place) throw new AppError('not_found', 'There is no stream at this path');
    if (closing) throw new AppError('shutting_down', 'The manager is stopping; try again in a moment');
    const credential =
      options.ticketCredential?.(url.searchParams.get('ticket'), url.pathname) ??
      credentialOf(request, url.searchParams, options.cookieCredential);
    const caller = await admit(authenticate, credential);
    const query = parse(streamQuery, Object.fromEntries(url.searchParams));
    const server = await webSockets();
    const { tail, since } = await openStream(streams, { ...place, ...query });
    // The client may have disconnected by now, or the manager may be stopping.
    if (socket.destroyed) return;
    if (closing) throw new AppError('shutting_down', 'The manager is stopping; try again in a moment');
    let connection: PlainSocket | undefined;
    const leave = openStreams.open({ ...caller, address: options.addressOf(request) }, (error) =>
      connection?.revoke(error),
    );
    socket.once('close', leave);
    server.handleUpgrade(request, socket, head, (webSocket) => {
      connection = new PlainSocket({ webSocket, socket, tail, since });
      webSocket.once('close', keep(connection));
    });
  };

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (isForSocketIo(request) && socketIo) return;
    const hungUp = (): void => void socket.destroy();
    socket.on('error', hungUp);
    if (isForSocketIo(request)) {
      attachSocketIo(() => httpServer.emit('upgrade', request, socket, head), hungUp);
      return;
    }
    upgrade(request, socket, head).catch((thrown: unknown) => {
      const requestId = requestIdOf(request);
      refuseUpgrade(socket, presentable(thrown, requestId, logger), requestId);
    });
  };
  httpServer.on('upgrade', onUpgrade);

  /** Socket.io, once it is attached: it answers its own requests then, and hands the others on. */
  let socketIo: { close(): void } | undefined;
  let loading: Promise<void> | undefined;
  /** Socket.io takes 10 MB: it is loaded for its first client, whose request is then emitted again. */
  function attachSocketIo(again: () => void, failed: () => void): void {
    if (closing) {
      failed();
      return;
    }
    loading ??= import('./socket-io-server.ts').then(({ createSocketIo }) => {
      socketIo = createSocketIo({
        ...options,
        mostClientBytes,
        heartbeat: timing.heartbeat,
        onConnection: (connection, onClose) => onClose(keep(connection)),
      });
      if (closing) socketIo.close();
    });
    loading.then(again, (error: unknown) => {
      loading = undefined;
      logger.error({ message: messageOf(error) }, 'Socket.io could not be loaded');
      failed();
    });
  }
  const listeners = httpServer.listeners('request') as RequestListener[];
  httpServer.removeAllListeners('request').on('request', (request, response) => {
    if (isForSocketIo(request))
      attachSocketIo(
        () => httpServer.emit('request', request, response),
        () => response.destroy(),
      );
    else for (const listener of listeners) listener(request, response);
  });

  const timers = [
    setInterval(() => {
      for (const connection of connections) connection.dropIfStalled(timing.dropStalledAfter);
    }, timing.sweepEvery),
    setInterval(() => {
      for (const connection of connections) connection.heartbeat();
    }, timing.heartbeat),
  ];
  for (const timer of timers) timer.unref();

  return {
    connections: () => connections.size,
    close() {
      closing = true;
      openStreams.close();
      for (const timer of timers) clearInterval(timer);
      for (const connection of connections) connection.goAway();
      socketIo?.close();
    },
  };
}

const isForSocketIo = ({ url }: IncomingMessage): boolean => url?.startsWith('/socket.io/') === true;

/** The id under which a handshake is logged. */
const requestIds = new WeakMap<IncomingMessage, string>();
function requestIdOf(request: IncomingMessage): string {
  const id = requestIds.get(request) ?? randomUUID();
  requestIds.set(request, id);
  return id;
}
