import { CookieJar } from 'tough-cookie';
import { type AddressRule, hostOf, portOf, webAddress } from './address.ts';
import { createGuardedAgent, translateFailure } from './agent.ts';
import type { Connect } from './connect.ts';
import { OutboundError } from './outbound-error.ts';
import { acceptedCodings, unpack } from './unpack.ts';

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
  const { agent, close } = createGuardedAgent(connect);

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
    close,
  };
}
