import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { closed } from './acme-world.ts';

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A request as received; `payload` is the signed payload, decoded without checking the signature. */
export interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  payload: unknown;
  /** Resolves when the client has closed the connection. */
  brokenOff: Promise<unknown>;
}

export interface AcmeStub {
  directoryUrl: string;
  base: string;
  asked: Asked[];
  /** Requested paths, without directory and nonces. */
  paths(): string[];
  stop(): Promise<void>;
}

/**
 * An ACME server for answers that a real authority does not give on demand: rate limits, overload, odd answers. It
 * serves directory, nonces and accounts; `answer` handles the rest, unless it returns `undefined`.
 */
export async function startAcmeStub(
  answer: (asked: Asked, stub: AcmeStub) => Answer | undefined | Promise<Answer | undefined>,
): Promise<AcmeStub> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const brokenOff = new Promise((resolve) => response.once('close', resolve));
    const path = request.url ?? '';
    const one = { path, headers: request.headers, payload: payloadOf(await bodyOf(request)), brokenOff };
    asked.push(one);
    const given = standing(path, stub.base) ?? (await answer(one, stub));
    if (!given) return;
    const type = given.status >= 400 ? 'application/problem+json' : 'application/json';
    response.writeHead(given.status, {
      'content-type': type,
      'replay-nonce': `nonce-${asked.length}`,
      ...given.headers,
    });
    response.end(typeof given.body === 'string' ? given.body : JSON.stringify(given.body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const stub: AcmeStub = {
    base,
    directoryUrl: `${base}/directory`,
    asked,
    paths: () => asked.map(({ path }) => path).filter((path) => path !== '/directory' && path !== '/nonce'),
    stop: () => closed(server),
  };
  return stub;
}

/** An ACME problem document (RFC 8555, 6.7). */
export function problem(type: string, detail: string, more: object = {}): object {
  return { type: `urn:ietf:params:acme:error:${type}`, detail, ...more };
}

function standing(path: string, base: string): Answer | undefined {
  if (path === '/directory')
    return {
      status: 200,
      body: {
        newNonce: `${base}/nonce`,
        newAccount: `${base}/account`,
        newOrder: `${base}/order`,
        revokeCert: `${base}/revoke`,
      },
    };
  if (path === '/nonce') return { status: 200 };
  return undefined;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function payloadOf(body: string): unknown {
  if (body === '') return undefined;
  const { payload } = JSON.parse(body) as { payload: string };
  return payload === '' ? '' : JSON.parse(Buffer.from(payload, 'base64url').toString());
}
