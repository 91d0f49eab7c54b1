import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'socket.io';
import type { Logger } from '../../kernel/logger.ts';
import { errorAnswer } from '../../platform/http/errors.ts';
import { type SessionToken, tokenOf } from './credentials.ts';
import { presentable } from './refusal.ts';
import { type AuthenticateToken, admit } from './sessions.ts';

export const socketIoPath = '/socket.io';

interface SocketIoOptions {
  httpServer: HttpServer;
  authenticateToken: AuthenticateToken;
  sessionToken: SessionToken | undefined;
  /** The dashboard's; nobody else's page may talk to us by polling. */
  allowedOrigins: readonly string[];
  logger: Logger;
  mostClientBytes: number;
  heartbeat: number;
  onConnection(socket: Socket, token: string): void;
}

/** Socket.io with the one namespace `/streams`, whose connections have shown a token. */
export function createSocketIo(options: SocketIoOptions): { connections(): number; close(): void } {
  const server = new Server(options.httpServer, {
    path: socketIoPath,
    serveClient: false,
    // Other upgrades on this port are ours to answer.
    destroyUpgrade: false,
    cors: { origin: [...options.allowedOrigins] },
    maxHttpBufferSize: options.mostClientBytes,
    pingInterval: options.heartbeat,
    pingTimeout: options.heartbeat,
    connectTimeout: 10_000,
  });
  const refuse = (thrown: unknown, socket: Socket, next: (error: Error) => void): void => {
    const error = presentable(thrown, socket.id, options.logger);
    next(Object.assign(new Error(error.message), { data: errorAnswer(error) }));
  };
  // There is always a main namespace; nothing is to be had there.
  server.use((_socket, next) => next(new Error('Connect to the namespace /streams')));
  const streams = server.of('/streams');
  streams.use((socket, next) => {
    const admitted = async (): Promise<string | undefined> => {
      const token = tokenOfHandshake(socket, options.sessionToken);
      await admit(options.authenticateToken, token);
      return token;
    };
    admitted().then(
      (token) => {
        socket.data = { token };
        next();
      },
      (error: unknown) => refuse(error, socket, next),
    );
  });
  streams.on('connection', (socket) => {
    const { token } = socket.data as { token: string };
    options.onConnection(socket, token);
  });
  return {
    connections: () => server.engine.clientsCount,
    close() {
      server.disconnectSockets(true);
      server.engine.close();
    },
  };
}

function tokenOfHandshake(socket: Socket, sessionToken: SessionToken | undefined): string | undefined {
  const { auth } = socket.handshake;
  const token: unknown = auth.token;
  if (typeof token === 'string' && token !== '') return token;
  const query = new URL(socket.request.url ?? '/', 'http://localhost').searchParams;
  const given = tokenOf(socket.request, query);
  const proof: unknown = auth.csrf_token;
  return given ?? sessionToken?.(socket.request, typeof proof === 'string' ? proof : undefined);
}
