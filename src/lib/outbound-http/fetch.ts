import { CookieJar } from 'tough-cookie';
import { Agent, buildConnector } from 'undici';
import { messageOf } from '../errors.ts';
import { type AddressRule, hostOf, portOf, type Target, webAddress } from './address.ts';
import type { Connect } from './connect.ts';
import { OutboundError } from './outbound-error.ts';
import { acceptedCodings, unpack } from './unpack.ts';

/** OpenSSL's and Node's certificate errors in plain words; the codes are those of Node's `tls`. */
const certificateFaults: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an authority that is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate can’t be traced to a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate can’t be traced to a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate can’t be traced to a trusted authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  CERT_REVOKED: 'its certificate was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

/** Translates a failed request; own errors stay. */
function translateFailure(error: unknown, { host, port }: Target): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = codeOf(error);
  const fault = certificateFaults[code];
  if (fault !== undefined) return new OutboundError('tls', `TLS failed with ${host}: ${fault}`, error);
  // Node reports a connection that ends within the handshake only by its message.
  if (/^(EPROTO$|ERR_SSL_|ERR_TLS_|CERT_|CRL_)/.test(code) || messageOf(error).includes('before secure TLS connection'))
    return new OutboundError(
      'tls',
      `TLS failed with ${host} on port ${port}: it could not agree on an encryption`,
      error,
    );
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return new OutboundError('timeout', `${host} did not answer in time`, error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new OutboundError('too_large', `${host} sends more headers than are read`, error);
  if (code.startsWith('HPE_'))
    return new OutboundError('broken', `${host} does not answer with HTTP on port ${port}`, error);
  if (code.startsWith('Z_') || code.startsWith('ERR__ERROR') || code.startsWith('ERR_BROTLI'))
    return new OutboundError('broken', `What ${host} sent could not be unpacked`, error);
  return new OutboundError('broken', `The connection to ${host} broke off: ${messageOf(error)}`, error);
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

export interface Fetched {
  /** The address after redirects. */
  url: URL;
  /** `content-type` as it was sent, in lower case; empty if missing. */
  contentType: string;
  body: Buffer;
}

export interface FetchRequest {
  accept: string;
  /** Maximum bytes of the body. */
  limit: number;
  redirects: number;
  signal: AbortSignal;
  /** Its name at the start of a sentence: `The page`. */
  what: string;
  /** Checks the content type before the body is read. @throws OutboundError */
  admit?: (contentType: string) => void;
}

/** Fetches addresses one by one; connections are reused. Close it when done. */
export interface Fetcher {
  /** @throws OutboundError; the signal's reason when aborted */
  fetch(url: URL, request: FetchRequest): Promise<Fetched>;
  close(): Promise<void>;
}

/** Limits of what a website may have stored: more would only grow each further request. */
const maxCookies = 30;
const maxCookieLength = 4_096;
/** Some servers reject clients without a browser's name; the honest part follows. */
const userAgent = 'Mozilla/5.0 (compatible; Tenantry)';

/** @param connect makes every connection, TLS ones too */
export function createFetcher(connect: Connect, rule: AddressRule): Fetcher {
  const over = buildConnector({ timeout: 10_000 });
  const ended = new AbortController();
  const agent = new Agent({
    connections: 6,
    headersTimeout: 20_000,
    bodyTimeout: 20_000,
    connect: ({ hostname, protocol, port, ...options }, callback) => {
      const host = hostname.replace(/^\[|\]$/g, '');
      connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) }, ended.signal).then(
        (socket) => {
          if (protocol === 'https:') over({ ...options, hostname, protocol, port, httpSocket: socket }, callback);
          else callback(null, socket);
        },
        (error: Error) => callback(error, null),
      );
    },
  });

  // Some websites redirect to the same address until they get their cookie.
  const cookies = new CookieJar();

  const once = async (url: URL, request: FetchRequest): Promise<Fetched | URL> => {
    const { signal, what, limit } = request;
    const cookie = cookies.getCookieStringSync(url.href);
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      signal,
      headers: {
        'user-agent': userAgent,
        accept: request.accept,
        'accept-encoding': acceptedCodings,
        'accept-language': 'en, *;q=0.5',
        ...(cookie && { cookie }),
      },
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat())
      if (line.length <= maxCookieLength && cookies.getCookiesSync(url.href).length < maxCookies)
        cookies.setCookieSync(line, url.href, { ignoreError: true });
    const header = (name: string): string => [answer.headers[name]].flat()[0] ?? '';
    try {
      const location = header('location');
      if ([301, 302, 303, 307, 308].includes(answer.statusCode) && location) return webAddress(location, rule, url);
      if (answer.statusCode < 200 || answer.statusCode > 299)
        throw new OutboundError('status', `${what} was answered with status ${answer.statusCode} by ${hostOf(url)}`);
      const contentType = header('content-type').toLowerCase();
      request.admit?.(contentType);
      if (Number(header('content-length')) > limit)
        throw new OutboundError('too_large', `${what} is larger than ${Math.round(limit / 1024)} KB`);
      const body = await unpack(answer.body, header('content-encoding'), { limit, what, signal });
      return { url, contentType, body };
    } finally {
      // The rest of the body is discarded. Its error is known already, or irrelevant.
      if (!answer.body.readableEnded) answer.body.on('error', () => undefined).destroy();
    }
  };

  return {
    async fetch(first, request) {
      let url = webAddress(first.href, rule);
      for (let redirects = 0; redirects <= request.redirects; redirects += 1) {
        try {
          const answer = await once(url, request);
          if (!(answer instanceof URL)) return answer;
          url = answer;
        } catch (error) {
          request.signal.throwIfAborted();
          throw translateFailure(error, { host: hostOf(url), port: portOf(url) });
        }
      }
      throw new OutboundError('redirects', `${hostOf(first)} redirects more than ${request.redirects} times`);
    },
    async close() {
      ended.abort(new Error('The reading has ended'));
      await agent.destroy();
    },
  };
}
