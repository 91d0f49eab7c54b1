import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { actingDeadline } from '../../lib/concurrency/acting-deadline.ts';
import { messageOf } from '../../lib/errors.ts';
import { request as httpRequest } from '../../lib/http/node-http.ts';
import type { ProxyAnswer, SiteHost, SiteProblem, SiteReply, SiteRequest } from './proxy.ts';

/** The manager's address of the proxy. */
export interface ProxyAddress {
  /** A host name or an IP address. */
  address: string;
  httpPort: number;
  httpsPort: number;
}

interface ProbeRequest {
  domain: string;
  path: string;
  method?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | undefined;
  /** A longer answer is cut off here; default: 4 KB. */
  maxBytes?: number | undefined;
  /** Over TLS with the domain as SNI; the certificate is reported, not validated. */
  tls: boolean;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface ProbeAnswer {
  statusCode: number;
  /** Milliseconds until the headers. */
  responseTimeMs: number;
  headers: IncomingHttpHeaders;
  /** The start of the body; longer ones are cut off. */
  body: string;
  cut: boolean;
  /** SHA-256 of the served leaf, in DER: 64 lower-case hexadecimal digits; undefined without TLS. */
  fingerprint: string | undefined;
}

/** A request without an answer. */
class NoAnswer extends Error {
  readonly problem: SiteProblem;

  constructor(message: string, problem: SiteProblem, cause: unknown) {
    super(message, { cause });
    this.problem = problem;
  }
}

const bodyBytes = 4096;

/**
 * A request through the proxy, like a visitor's: to the proxy's address, with the site's host name. Always on a new connection,
 * since a reloading proxy closes idle ones.
 * @throws an Error with the cause; the signal's reason when aborted
 */
export async function requestThroughProxy(proxy: ProxyAddress, probe: ProbeRequest): Promise<ProbeAnswer> {
  const { domain, tls } = probe;
  const port = tls ? proxy.httpsPort : proxy.httpPort;
  const started = performance.now();
  const timeUp = AbortSignal.timeout(probe.timeoutMs);
  const signal = probe.signal ? AbortSignal.any([probe.signal, timeUp]) : timeUp;
  const { method = 'GET', body, maxBytes = bodyBytes } = probe;
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = {
    host: proxy.address,
    port,
    path: probe.path,
    method,
    agent: false as const,
    signal,
    headers: {
      'user-agent': 'Tenantry',
      ...probe.headers,
      host: port === (tls ? 443 : 80) ? domain : `${domain}:${port}`,
      ...length,
    },
  };
  try {
    return await new Promise<ProbeAnswer>((resolve, reject) => {
      const answered = (response: IncomingMessage): void => {
        const responseTimeMs = Math.round(performance.now() - started);
        const fingerprint = tls ? fingerprintOf(response.socket as TLSSocket) : undefined;
        readStart(response, maxBytes).then((start) => {
          const { statusCode = 0, headers } = response;
          resolve({ statusCode, responseTimeMs, headers, ...start, fingerprint });
        }, reject);
      };
      const request = tls
        ? httpsRequest({ ...options, servername: domain, rejectUnauthorized: false }, answered)
        : httpRequest(options, answered);
      request.on('error', reject).end(body);
    });
  } catch (error) {
    if (probe.signal?.aborted) throw probe.signal.reason;
    throw timeUp.aborted
      ? new NoAnswer(`no answer within ${probe.timeoutMs} ms`, 'late', error)
      : new NoAnswer(reasonOf(error), problems[codeOf(error)] ?? 'other', error);
  }
}

/** A request to the site through the proxy: up if it answers 2xx or 3xx, with the right certificate if it has one. */
export async function probeThroughProxy(
  proxy: ProxyAddress,
  host: Pick<SiteHost, 'domain' | 'tls'>,
  path: string,
  options: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<ProxyAnswer> {
  let reply: ProbeAnswer;
  try {
    reply = await requestThroughProxy(proxy, { domain: host.domain, path, tls: host.tls !== null, ...options });
  } catch (error) {
    options.signal?.throwIfAborted();
    const problem = error instanceof NoAnswer ? error.problem : 'other';
    return { status: 'down', response_time_ms: null, status_code: null, error: messageOf(error), problem };
  }
  const answer = { response_time_ms: reply.responseTimeMs, status_code: reply.statusCode };
  const wrong = wrongCertificate(host.tls, reply);
  if (wrong) return { status: 'down', ...answer, error: wrong, problem: 'other_certificate' };
  if (reply.statusCode >= 200 && reply.statusCode < 400) return { status: 'up', ...answer };
  return { status: 'down', ...answer, error: `answered ${reply.statusCode}`, problem: 'status' };
}

/** A request to the site through the proxy. @throws Error with the cause, also for a wrong certificate; the signal's reason */
export async function sendThroughProxy(
  proxy: ProxyAddress,
  host: Pick<SiteHost, 'domain' | 'tls'>,
  request: SiteRequest,
): Promise<SiteReply> {
  actingDeadline.check();
  const reply = await requestThroughProxy(proxy, { ...request, domain: host.domain, tls: host.tls !== null });
  const wrong = wrongCertificate(host.tls, reply);
  if (wrong) throw new Error(wrong);
  return reply;
}

/**
 * The address of a site that redirects to itself, at once or by way of the other scheme, requested as visitors do: where its own name
 * leads. undefined: none does. @throws Error with the cause when neither scheme is answered
 */
export async function selfRedirectOf(
  domain: string,
  { httpPort = 80, httpsPort = 443, timeoutMs }: { httpPort?: number; httpsPort?: number; timeoutMs: number },
): Promise<string | undefined> {
  const proxy = { address: domain, httpPort, httpsPort };
  const [https, http] = [`https://${domain}:${httpsPort}/`, `http://${domain}:${httpPort}/`].map(
    (url) => new URL(url).href,
  );
  const targetOf = async (url = ''): Promise<string | undefined> => {
    const tls = url === https;
    const { statusCode, headers } = await requestThroughProxy(proxy, { domain, path: '/', tls, timeoutMs });
    const { location } = headers;
    return statusCode >= 300 && statusCode < 400 && URL.canParse(location ?? '', url)
      ? new URL(location ?? '', url).href
      : undefined;
  };
  const [secure, plain] = await Promise.allSettled([targetOf(https), targetOf(http)]);
  if (secure.status === 'rejected' && plain.status === 'rejected') throw secure.reason;
  const [fromHttps, fromHttp] = [secure, plain].map((one) => (one.status === 'fulfilled' ? one.value : undefined));
  if (fromHttps === https || (fromHttps === http && fromHttp === https)) return https;
  return fromHttp === http ? http : undefined;
}

/** The problem with the served certificate; undefined if there is none, or if the proxy manages it itself. */
export function wrongCertificate(tls: SiteHost['tls'], reply: ProbeAnswer): string | undefined {
  if (tls?.kind !== 'certificate' || reply.fingerprint === tls.fingerprint) return undefined;
  const short = (fingerprint: string | undefined): string => fingerprint?.slice(0, 16) ?? 'none';
  return `another certificate is served than the site’s (${short(reply.fingerprint)}… instead of ${short(tls.fingerprint)}…)`;
}

const fingerprintOf = (socket: TLSSocket): string | undefined =>
  socket.getPeerX509Certificate()?.fingerprint256.replaceAll(':', '').toLowerCase();

async function readStart(response: IncomingMessage, maxBytes: number): Promise<{ body: string; cut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).toString('utf8', 0, Math.min(size, maxBytes)), cut: size > maxBytes };
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  ENOTFOUND: 'the proxy’s host name is not known',
  EAI_AGAIN: 'the proxy’s host name could not be looked up',
  ETIMEDOUT: 'the connection timed out',
  EPROTO: 'the proxy does not speak TLS there',
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: 'the proxy has no certificate for this host name',
};

const problems: Record<string, SiteProblem> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'closed',
  EHOSTUNREACH: 'no_route',
  ENETUNREACH: 'no_route',
  ETIMEDOUT: 'no_route',
  ENOTFOUND: 'unknown_name',
  EAI_AGAIN: 'unknown_name',
  EPROTO: 'no_tls',
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: 'no_certificate',
};

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

const reasonOf = (error: unknown): string => reasons[codeOf(error)] ?? messageOf(error);
