import { Agent, type Dispatcher, errors } from 'undici';
import { startDeadline } from './deadline.ts';

export interface Address {
  host: string;
  port: number;
}

export interface CallOptions {
  /** For the whole call: connecting, headers and body. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface TenantRequest extends CallOptions {
  path: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** A longer answer is cut off here, and its connection closed. */
  maxBytes: number;
}

export interface TenantAnswer {
  statusCode: number;
  /** Milliseconds until the status line and headers were there. */
  responseTimeMs: number;
  body: string;
  /** The answer was longer than `maxBytes`. */
  cut: boolean;
}

/** A call that got no whole answer; the message says why and holds neither headers nor body of the request. */
export class Unreachable extends Error {
  /** What was answered before it broke off, where anything was. */
  readonly statusCode: number | null;

  constructor(message: string, statusCode: number | null) {
    super(message);
    this.name = 'Unreachable';
    this.statusCode = statusCode;
  }
}

export interface Transport {
  /** @throws Unreachable; the caller's own abort reason where the caller gave up */
  call(address: Address, request: TenantRequest): Promise<TenantAnswer>;
  close(): Promise<void>;
}

/**
 * Connections to tenants. A check asks the same unit two or three things within a second, then not again for a minute:
 * few connections an address, kept for seconds only, so that thousands of addresses do not mean thousands of idle sockets.
 */
export function createTransport(): Transport {
  const agent = new Agent({
    connections: 4,
    pipelining: 1,
    keepAliveTimeout: 2_000,
    keepAliveMaxTimeout: 4_000,
    maxHeaderSize: 32_768,
  });
  return {
    async call(address, request) {
      const deadline = startDeadline(request.timeoutMs, request.signal);
      const started = performance.now();
      let statusCode: number | null = null;
      try {
        const answer = await agent.request({
          origin: originOf(address),
          path: request.path,
          method: request.method ?? 'GET',
          headers: request.headers ?? {},
          ...(request.body === undefined ? {} : { body: request.body }),
          signal: deadline.signal,
          headersTimeout: 0,
          bodyTimeout: 0,
        });
        statusCode = answer.statusCode;
        const responseTimeMs = Math.round(performance.now() - started);
        return { statusCode, responseTimeMs, ...(await readUpTo(answer.body, request.maxBytes)) };
      } catch (error) {
        if (request.signal?.aborted && !deadline.passed()) throw request.signal.reason;
        throw new Unreachable(
          deadline.passed() ? lateText(request.timeoutMs, statusCode) : reasonOf(error),
          statusCode,
        );
      } finally {
        deadline.end();
      }
    },
    close: () => agent.destroy(),
  };
}

const originOf = ({ host, port }: Address): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

const lateText = (timeoutMs: number, statusCode: number | null): string =>
  statusCode === null ? `no answer within ${timeoutMs} ms` : `the answer did not end within ${timeoutMs} ms`;

async function readUpTo(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<{ body: string; cut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop destroys the body and with it the connection.
    if (size > maxBytes) break;
  }
  const bytes = Buffer.concat(chunks);
  return { body: bytes.subarray(0, maxBytes).toString('utf8'), cut: size > maxBytes };
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too long',
  UND_ERR_INVALID_ARG: 'the request could not be made',
};

/** Never the foreign message itself: it may repeat parts of the request. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.HTTPParserError) return 'the answer is not HTTP';
  const code = typeof error === 'object' && error !== null && 'code' in error && error.code ? String(error.code) : '';
  return reasons[code] ?? `the connection failed${code && ` (${code})`}`;
}
