import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { AppError, statusOfCode } from '../../lib/errors.ts';
import { createServer } from '../../lib/http/node-http.ts';
import { answerBrokenRequests } from '../../lib/http/requests/broken-requests.ts';
import { errorAnswer } from '../../lib/http/responses/errors.ts';
import { type ListenAddress, listenAt } from './listening.ts';

export interface StandbyServer {
  /** Frees the ports for the manager's own servers. */
  close(): Promise<void>;
}

/**
 * Answers at the manager's ports while it waits: `/healthz` with 200, everything else with 503 and the active manager's name. A
 * reverse proxy in front of both managers tries the other one then.
 * @param holder the name of the active manager
 */
export async function startStandbyServer(
  addresses: readonly ListenAddress[],
  holder: () => string,
): Promise<StandbyServer> {
  const servers: Server[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(closed));
  };
  try {
    for (const address of addresses) {
      const server = createServer((request, response) => answer(request, response, holder()));
      server.on('upgrade', (_request, socket) => {
        socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n\r\n');
      });
      answerBrokenRequests(server);
      await listenAt(server, address);
      servers.push(server);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}

function answer(request: IncomingMessage, response: ServerResponse, holder: string): void {
  const headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
  const send = (status: number, body: object, more = {}): void => {
    response.writeHead(status, { ...headers, ...more, 'Content-Type': 'application/json; charset=utf-8' });
    response.end(request.method === 'HEAD' ? undefined : JSON.stringify(body));
  };
  if (request.url === '/healthz') {
    send(200, { status: 'ok' });
    return;
  }
  const error = new AppError('standby', `This is the standby; the manager on ${holder} is active: ask that one`);
  // The rest of a body is not read.
  send(statusOfCode.standby, errorAnswer(error), { 'Retry-After': '5', Connection: 'close' });
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
