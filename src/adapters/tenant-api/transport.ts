import type { Agent } from 'undici';
import { Exchange, type TenantAnswer } from './exchange.ts';

export type { TenantAnswer } from './exchange.ts';

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
  method?: 'GET' | 'POST' | 'DELETE';
  headers?: Record<string, string>;
  body?: string;
  /** A longer answer is cut off here, and its connection closed. */
  maxBytes: number;
}

/** A call without a complete answer; the message gives the reason and contains neither headers nor body of the request. */
export class Unreachable extends Error {
  /** The partial answer, if any. */
  readonly statusCode: number | null;

  constructor(message: string, statusCode: number | null) {
    super(message);
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
    async call(address, request) {
      const { timeoutMs, signal } = request;
      agent ??= createAgent();
      const connections = await agent;
      signal?.throwIfAborted();
      const exchange = new Exchange(request.maxBytes);
      const timer = setTimeout(() => exchange.giveUp(late), timeoutMs);
      const leave = (): void => exchange.giveUp(signal?.reason);
      signal?.addEventListener('abort', leave, { once: true });
      try {
        connections.dispatch(
          {
            origin: originOf(address),
            path: request.path,
            method: request.method ?? 'GET',
            headers: request.headers ?? {},
            ...(request.body === undefined ? {} : { body: request.body }),
            headersTimeout: 0,
            bodyTimeout: 0,
          },
          exchange,
        );
        return await exchange.answer;
      } catch (error) {
        if (signal?.aborted && error === signal.reason) throw error;
        const { statusCode } = exchange;
        throw new Unreachable(error === late ? lateText(timeoutMs, statusCode) : reasonOf(error), statusCode);
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
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

/** Never the foreign message itself: it may repeat parts of the request. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'HTTPParserError') return 'the answer is not HTTP';
  const code = typeof error === 'object' && error !== null && 'code' in error && error.code ? String(error.code) : '';
  return reasons[code] ?? `the connection failed${code && ` (${code})`}`;
}
