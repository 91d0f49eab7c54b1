import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { Server, type Socket } from 'socket.io';
import { AppError } from '../../lib/errors.ts';
import type { Credential } from '../../lib/http/requests/credential.ts';
import { errorAnswer } from '../../lib/http/responses/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { type Authenticate, admit } from './admit.ts';
import { type CookieCredential, credentialOf, tokenCredential } from './credentials.ts';
import type { OpenStreams } from './open-streams.ts';
import { PendingHandshakes, type Transport } from './pending-handshakes.ts';
import { presentable } from './refusal.ts';
import { SocketIoConnection } from './socket-io-connection.ts';
import type { StreamRegistry } from './streams.ts';

interface SocketIoOptions {
  httpServer: HttpServer;
  authenticate: Authenticate;
  cookieCredential?: CookieCredential;
  addressOf(request: IncomingMessage): string;
  openStreams: OpenStreams;
  streams: StreamRegistry;
  /** The dashboard's origin; no other page may connect by polling. */
  allowedOrigins: readonly string[];
  logger: Logger;
  mostClientBytes: number;
  heartbeat: number;
  onConnection(connection: SocketIoConnection, onClose: (listener: () => void) => void): void;
}

/** Socket.io with the one namespace `/streams`, whose connections have shown a token. */
export function createSocketIo(options: SocketIoOptions): { close(): void } {
  const { openStreams, addressOf, logger } = options;
  const pending = new PendingHandshakes({ addressOf });
  const server = new Server(options.httpServer, {
    path: '/socket.io',
    serveClient: false,
    // Other upgrades on this port are ours to answer.
    destroyUpgrade: false,
    cors: { origin: [...options.allowedOrigins] },
    maxHttpBufferSize: options.mostClientBytes,
    pingInterval: options.heartbeat,
    pingTimeout: options.heartbeat,
    allowRequest: (request, answer) => answer('Too many connections without a token', pending.hasRoomFor(request)),
  });
  server.engine.on('connection', (transport: Transport) => pending.add(transport));
  const refuse = (thrown: unknown, socket: Socket, next: (error: Error) => void): void => {
    const error = presentable(thrown, socket.id, options.logger);
    next(Object.assign(new Error(error.message), { data: errorAnswer(error) }));
  };
  // There is always a main namespace; nothing is to be had there.
  server.use((_socket, next) => next(new Error('Connect to the namespace /streams')));
  const streams = server.of('/streams');
  streams.use((socket, next) => {
    const enter = async (): Promise<void> => {
      const caller = await admit(options.authenticate, credentialOfHandshake(socket, options.cookieCredential));
      // The client may have disconnected during the authentication.
      if (socket.conn.readyState !== 'open') throw new AppError('unauthorized', 'The connection is closed');
      const connection = new SocketIoConnection({ socket, streams: options.streams, logger });
      const leave = openStreams.open({ ...caller, address: addressOf(socket.request) }, (error) =>
        connection.revoke(error),
      );
      socket.conn.once('close', leave);
      pending.admitted(socket.conn);
      socket.data = { connection, leave };
    };
    enter().then(
      () => next(),
      (error: unknown) => refuse(error, socket, next),
    );
  });
  streams.on('connection', (socket) => {
    const { connection, leave } = socket.data as { connection: SocketIoConnection; leave: () => void };
    options.onConnection(connection, (listener) => socket.once('disconnect', listener));
    socket.once('disconnect', () => {
      leave();
      // A connection without its namespace would count nowhere.
      socket.conn.close();
    });
  });
  return {
    close() {
      server.disconnectSockets(true);
      server.engine.close();
    },
  };
}

function credentialOfHandshake(socket: Socket, ofCookie: CookieCredential | undefined): Credential | undefined {
  const { auth } = socket.handshake;
  const token: unknown = auth.token;
  if (typeof token === 'string' && token !== '') return tokenCredential(token);
  const query = new URL(socket.request.url ?? '/', 'http://localhost').searchParams;
  const given = credentialOf(socket.request, query);
  const proof: unknown = auth.csrf_token;
  return given ?? ofCookie?.(socket.request, typeof proof === 'string' ? proof : undefined);
}
