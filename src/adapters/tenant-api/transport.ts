import type { IncomingHttpHeaders } from 'node:http';
import type { Agent } from 'undici';
import { actingDeadline } from '../../lib/concurrency/acting-deadline.ts';
import { withTimeout } from '../../lib/concurrency/timeout.ts';

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
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string;
  /** A longer answer is cut off here, and its connection closed. */
  maxBytes: number;
}

/** A whole answer. */
export interface TenantAnswer {
  statusCode: number;
  /** Milliseconds until the status line and headers. */
  responseTimeMs: number;
  /** By lower-case names. */
  headers: IncomingHttpHeaders;
  body: string;
  /** The answer was longer than the limit: this is its start. */
  cut: boolean;
}

/** The kind of a call's failure, for programs. */
export type CallFailure = 'refused' | 'late' | 'closed' | 'no_route' | 'unknown_name' | 'not_http' | 'other';

/** A call without a complete answer; the message gives the reason and contains neither headers nor body of the request. */
export class Unreachable extends Error {
  /** The partial answer, if any. */
  readonly statusCode: number | null;
  readonly failure: CallFailure;

  constructor(message: string, statusCode: number | null, failure: CallFailure) {
    super(message);
    this.failure = failure;
    this.name = 'Unreachable';
    this.statusCode = statusCode;
  }
}

export interface Transport {
  /** @throws Unreachable; the caller's own abort reason */
  call(address: Address, request: TenantRequest): Promise<TenantAnswer>;
  close(): Promise<void>;
}

/** The reason of a timed-out call; translated for users. */
const late = new Error('late');

/**
 * Connections to tenants. A check sends a unit two or three requests within a second, then none for a minute: few connections
 * per address, kept for seconds only, so that thousands of addresses do not mean thousands of idle sockets.
 */
export function createTransport(): Transport {
  let agent: Promise<Agent> | undefined;
  return {
    async call(address, { path, method = 'GET', headers = {}, body = null, timeoutMs, signal, maxBytes }) {
      agent ??= createAgent();
      const connections = await agent;
      const cancel = new AbortController();
      let statusCode: number | null = null;
      const ask = async (): Promise<TenantAnswer> => {
        actingDeadline.check();
        const began = performance.now();
        const answer = await connections.request({
          origin: originOf(address),
          path,
          method,
          headers,
          body,
          headersTimeout: 0,
          bodyTimeout: 0,
          signal: cancel.signal,
        });
        statusCode = answer.statusCode;
        const responseTimeMs = Math.round(performance.now() - began);
        const received = withCookieList(answer.headers);
        return { statusCode, responseTimeMs, headers: received, ...(await readStart(answer.body, maxBytes)) };
      };
      signal?.throwIfAborted();
      try {
        return await withTimeout(ask, { timeoutMs, timeoutError: () => late, signal });
      } catch (error) {
        cancel.abort();
        if (signal?.aborted && error === signal.reason) throw error;
        if (error === late) throw new Unreachable(lateText(timeoutMs, statusCode), statusCode, 'late');
        throw new Unreachable(reasonOf(error), statusCode, failureOf(error));
      }
    },
    close: async () => (await agent)?.destroy(),
  };
}

/** Loaded at the first call: a manager without tenants makes none. */
async function createAgent(): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent({
    connections: 4,
    pipelining: 1,
    keepAliveTimeout: 2_000,
    keepAliveMaxTimeout: 4_000,
    maxHeaderSize: 32_768,
  });
}

/** undici has a text for one cookie, where Node has a list. */
function withCookieList({ 'set-cookie': cookies, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders {
  return cookies === undefined ? headers : { ...headers, 'set-cookie': [cookies].flat() };
}

/** Leaving the loop early closes the connection. */
async function readStart(body: AsyncIterable<Buffer>, maxBytes: number): Promise<{ body: string; cut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).toString('utf8', 0, maxBytes), cut: size > maxBytes };
}

const originOf = ({ host, port }: Address): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

const lateText = (timeoutMs: number, statusCode: number | null): string =>
  statusCode === null ? `no answer within ${timeoutMs} ms` : `the answer did not end within ${timeoutMs} ms`;

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

const failures: Record<string, CallFailure> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'closed',
  UND_ERR_SOCKET: 'closed',
  EHOSTUNREACH: 'no_route',
  ENETUNREACH: 'no_route',
  ENOTFOUND: 'unknown_name',
  EAI_AGAIN: 'unknown_name',
  ETIMEDOUT: 'no_route',
  UND_ERR_CONNECT_TIMEOUT: 'no_route',
};

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && error.code ? String(error.code) : '';

const isNoHttp = (error: unknown): boolean => error instanceof Error && error.name === 'HTTPParserError';

const failureOf = (error: unknown): CallFailure =>
  isNoHttp(error) ? 'not_http' : (failures[codeOf(error)] ?? 'other');

/** Never the foreign message itself: it may repeat parts of the request. */
function reasonOf(error: unknown): string {
  if (isNoHttp(error)) return 'the answer is not HTTP';
  const code = codeOf(error);
  return reasons[code] ?? `the connection failed${code && ` (${code})`}`;
}
