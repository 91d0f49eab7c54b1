import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';

export interface Visit {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
  /** Over TLS: the negotiated protocol, and the certificate. */
  tls?: { protocol: string | null; fingerprint: string };
}

interface Visiting {
  /** Instead of 127.0.0.1. */
  host?: string;
  /** The visitor's own address, of the loopback. */
  from?: string;
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: Readable;
  tls?: {
    minVersion?: 'TLSv1.1' | 'TLSv1.2';
    maxVersion?: 'TLSv1.1' | 'TLSv1.2';
    ciphers?: string;
    servername?: string;
  };
}

/** A request to the proxy by a site's host name (Host header, and SNI over TLS), on a separate connection. */
export async function visit(port: number, domain: string, visiting: Visiting = {}): Promise<Visit> {
  const { host = '127.0.0.1', from, path = '/', method = 'GET', headers = {}, body, tls } = visiting;
  const options = {
    host,
    port,
    ...(from === undefined ? {} : { localAddress: from }),
    path,
    method,
    agent: false as const,
    headers: { host: `${domain}:${port}`, ...headers },
  };
  const request = tls
    ? httpsRequest({ ...options, servername: domain, rejectUnauthorized: false, ...tls })
    : httpRequest(options);
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
  answered.catch(() => undefined);
  if (body) await pipeline(body, request);
  else request.end();
  const response = await answered;
  const socket = tls ? (response.socket as TLSSocket) : undefined;
  const agreed = socket && {
    protocol: socket.getProtocol(),
    fingerprint: (socket.getPeerX509Certificate()?.fingerprint256 ?? '').replaceAll(':', '').toLowerCase(),
  };
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: bytes,
    text: bytes.toString('utf8'),
    ...(agreed ? { tls: agreed } : {}),
  };
}

/** Back to back, the visits take a whole core from what they watch. A proxy that starts again is away for 25 ms or more. */
const visitPauseMs = 10;

/** Visits a site repeatedly, each time on a new connection, and records responses other than 200. */
export function keepVisiting(
  port: number,
  domain: string,
  visiting: Visiting = {},
): { stop(): Promise<{ visits: number; failures: string[] }> } {
  let visits = 0;
  let stopped = false;
  const failures: string[] = [];
  const running = (async () => {
    while (!stopped) {
      visits += 1;
      const { status, text } = await visit(port, domain, visiting).catch((error) => ({
        status: 0,
        text: String(error),
      }));
      if (status !== 200) failures.push(`${status} ${text.slice(0, 100)}`);
      await sleep(visitPauseMs);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await running;
      return { visits, failures };
    },
  };
}
