import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

/** The request as the application received it, returned at any path. */
export interface Echo {
  name: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Bytes of the request's body. */
  bytes: number;
}

export interface Upstream {
  port: number;
  /** Method and path of every request, in order. */
  requests: string[];
  /** Called for every part of a body as it arrives. */
  onBody: (() => void) | undefined;
  close(): Promise<void>;
}

/**
 * A tenant's application: returns every request as JSON with its own name, answers `/status/<code>` with that status
 * and its own text, `/large` with 100 kB of text, breaks the connection at `/break`, and echoes WebSocket messages. Keeps only the size of a body.
 */
export async function startUpstream(name: string, host = '127.0.0.1', port = 0): Promise<Upstream> {
  const server = createServer((request, response) => {
    upstream.requests.push(`${request.method} ${request.url}`);
    request.on('data', () => upstream.onBody?.());
    void answer(name, request, response);
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    socket.on('message', (data, isBinary) => socket.send(isBinary ? data : `${name}: ${data}`));
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const upstream: Upstream = {
    port: (server.address() as AddressInfo).port,
    requests: [],
    onBody: undefined,
    async close() {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return upstream;
}

async function answer(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) bytes += chunk.length;
  const url = request.url ?? '';
  if (url === '/break') {
    request.socket.destroy();
    return;
  }
  const status = /^\/status\/(\d{3})$/.exec(url)?.[1];
  if (status !== undefined) {
    const text = Buffer.from(`the application’s own ${status}`);
    response.writeHead(Number(status), { 'content-type': 'text/plain', 'content-length': text.length }).end(text);
    return;
  }
  if (url === '/large') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('tenantry '.repeat(11_112));
    return;
  }
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ name, method: request.method, url, headers: request.headers, bytes }));
}
