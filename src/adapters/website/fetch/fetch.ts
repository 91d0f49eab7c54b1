import { Agent, buildConnector } from 'undici';
import { WebsiteUnreadable } from '../website.ts';
import { type AddressRule, hostOf, portOf, webAddress } from './address.ts';
import type { Connect } from './connect.ts';
import { createCookies } from './cookies.ts';
import { translateFailure } from './translate-failure.ts';
import { acceptedCodings, unpack } from './unpack.ts';

export interface Fetched {
  /** Where the redirects ended. */
  url: URL;
  /** `content-type` as it was sent, in lower case; empty where there is none. */
  contentType: string;
  body: Buffer;
}

export interface FetchRequest {
  accept: string;
  /** Most bytes of the body. */
  limit: number;
  redirects: number;
  signal: AbortSignal;
  /** What it is, to begin a sentence with: `The page`. */
  what: string;
  /** Looks at the content type before the body is read. @throws WebsiteUnreadable */
  admit?: (contentType: string) => void;
}

/** Fetches addresses one by one; connections are kept between the requests. Close it when done. */
export interface Fetcher {
  /** @throws WebsiteUnreadable; the signal's reason when aborted */
  fetch(url: URL, request: FetchRequest): Promise<Fetched>;
  close(): Promise<void>;
}

/** Some servers turn away clients without a name of a browser; the honest part comes after it. */
const userAgent = 'Mozilla/5.0 (compatible; Tenantry theme analysis)';

/** @param connect through which every connection is made, TLS ones too */
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

  const cookies = createCookies();

  const once = async (url: URL, request: FetchRequest): Promise<Fetched | URL> => {
    const { signal, what, limit } = request;
    const cookie = cookies.header(url);
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
        ...(cookie === undefined ? {} : { cookie }),
      },
    });
    cookies.take(url, answer.headers['set-cookie']);
    const header = (name: string): string => [answer.headers[name]].flat()[0] ?? '';
    try {
      const location = header('location');
      if ([301, 302, 303, 307, 308].includes(answer.statusCode) && location) return webAddress(location, rule, url);
      if (answer.statusCode < 200 || answer.statusCode > 299)
        throw new WebsiteUnreadable(
          'status',
          `${what} was answered with status ${answer.statusCode} by ${hostOf(url)}`,
        );
      const contentType = header('content-type').toLowerCase();
      request.admit?.(contentType);
      if (Number(header('content-length')) > limit)
        throw new WebsiteUnreadable('too_large', `${what} is larger than ${Math.round(limit / 1024)} KB`);
      const body = await unpack(answer.body, header('content-encoding'), { limit, what, signal });
      return { url, contentType, body };
    } finally {
      // What was not read is not waited for. Its error is known already, or nobody's.
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
      throw new WebsiteUnreadable('redirects', `${hostOf(first)} redirects more than ${request.redirects} times`);
    },
    async close() {
      ended.abort(new Error('The reading has ended'));
      await agent.destroy();
    },
  };
}
