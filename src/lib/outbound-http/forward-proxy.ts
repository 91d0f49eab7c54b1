import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Transform } from 'node:stream';
import { createServer, request as httpRequest } from '../http/node-http.ts';
import { hostOf, portOf } from './address.ts';
import type { Connect } from './connect.ts';

/** A refused connection, and the reason. */
export interface Refusal {
  host: string;
  port: number;
  error: unknown;
}

export interface ForwardProxy {
  port: number;
  /** Until this is called all connections are refused: a starting browser's requests are its own. */
  begin(): void;
  /** Refused connections, in order; at most 100. */
  refusals: readonly Refusal[];
  /** True after the byte limit was exceeded: all further traffic is blocked. */
  readonly exhausted: boolean;
  close(): Promise<void>;
}

interface ProxyOptions {
  connect: Connect;
  /** Maximum bytes from websites in all. */
  maxBytes: number;
  maxConnections: number;
}

const maxRefusals = 100;
/** Requests that Chromium makes on its own in spite of its switches: updates, sign-in, reports. No page needs them. */
const ownServices =
  /^(accounts|(android\.)?clients\d?|mtalk)\.google\.com$|^(update|safebrowsing|optimizationguide-pa|content-autofill)\.googleapis\.com$|\.gvt1\.com$/i;

/**
 * Starts a forward proxy on loopback (plain HTTP and CONNECT), through which a browser reaches websites: `connect` makes every
 * connection, so the rule for the manager's own requests also applies to a page's scripts.
 */
export async function startForwardProxy({ connect, maxBytes, maxConnections }: ProxyOptions): Promise<ForwardProxy> {
  const closing = new AbortController();
  const refusals: Refusal[] = [];
  const open = new Set<Socket>();
  let bytes = 0;
  let started = false;
  const exhausted = (): boolean => bytes > maxBytes;

  async function reach(host: string, port: number): Promise<Socket> {
    if (!started || ownServices.test(host)) throw new Error('the browser asks for itself');
    try {
      if (exhausted()) throw new Error('the website sends more than is looked at');
      if (open.size >= maxConnections) throw new Error('the website opens more connections than are allowed');
      const socket = await connect({ host, port }, closing.signal);
      keep(socket);
      return socket;
    } catch (error) {
      if (refusals.length < maxRefusals) refusals.push({ host, port, error });
      throw error;
    }
  }

  function keep(socket: Socket): void {
    open.add(socket);
    socket.on('error', () => undefined).once('close', () => open.delete(socket));
    if (closing.signal.aborted) socket.destroy();
  }

  /** Counts incoming bytes; too many end everything. */
  const counted = (): Transform =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        if (exhausted()) for (const socket of open) socket.destroy();
        done(null, chunk);
      },
    });

  const server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    // Refused by closing the connection: an answer of our own would look like a page of the website.
    forward(request, response).catch(() => response.destroy());
  });

  /** A plain request, `GET http://host/path`. */
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:' || url.username || url.password) return void response.destroy();
    const upstream = await reach(hostOf(url), portOf(url)).catch(() => undefined);
    if (!upstream || response.destroyed) {
      upstream?.destroy();
      return void response.destroy();
    }
    const outgoing = httpRequest({
      method: request.method ?? 'GET',
      path: url.pathname + url.search,
      headers: { ...endToEnd(request), host: url.host, connection: 'close' },
      createConnection: () => upstream,
    });
    const give = (): void => {
      outgoing.destroy();
      response.destroy();
    };
    outgoing.on('error', give).on('upgrade', give);
    outgoing.on('response', (answer) => {
      // Answers are parsed more leniently than they may be written: a status of 099, control characters in its phrase.
      try {
        response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer));
      } catch {
        return give();
      }
      const counter = counted();
      answer.on('error', give);
      counter.on('error', give);
      answer.pipe(counter).pipe(response);
    });
    response.on('close', () => outgoing.destroy()).on('error', give);
    request.on('error', give).pipe(outgoing);
  }

  /** A tunnel, `CONNECT host:port`: TLS and WebSockets are end to end. */
  server.on('connect', (request: IncomingMessage, client: Socket, head: Buffer) => {
    keep(client);
    const url = URL.parse(`http://${request.url ?? ''}`);
    const port = Number(/:(\d{1,5})$/.exec(request.url ?? '')?.[1]);
    if (!url || !port) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    reach(hostOf(url), port).then(
      (upstream) => {
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        upstream.write(head);
        const end = (): void => {
          upstream.destroy();
          client.destroy();
        };
        upstream.once('close', end);
        client.once('close', end);
        client.pipe(upstream);
        upstream.pipe(counted()).pipe(client);
      },
      () => client.end('HTTP/1.1 403 Forbidden\r\n\r\n'),
    );
  });
  server.on('connection', (socket: Socket) => void socket.on('error', () => undefined));
  server.on('clientError', (_error, socket) => void socket.destroy());

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    refusals,
    begin: () => {
      started = true;
    },
    get exhausted() {
      return exhausted();
    },
    async close() {
      closing.abort(new Error('The browser has ended'));
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Headers without the hop-by-hop ones (RFC 9110, 7.6.1). */
function endToEnd({ headers }: IncomingMessage): Record<string, string | string[]> {
  const named = (headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const dropped = new Set([...hopByHop, ...named]);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || dropped.has(name) ? [] : [[name, value]],
    ),
  );
}

const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
