import { createHmac, hkdfSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../kernel/errors.ts';
import { secretMatcher } from '../../platform/http/secret-matcher.ts';

/**
 * The dashboard's session: an access token in a cookie that no script can read, and a proof beside it that the page holds and
 * sends by itself. Browsers send cookies to every port of a host, so to tenants as well, and other sites' pages can make them
 * be sent: the cookie alone opens nothing.
 */
export interface BrowserSessions {
  /** Sets the cookie; answers the proof that the page sends with each request (`X-CSRF-Token`). */
  open(request: BrowserRequest, response: ServerResponse, accessToken: string): string;
  close(request: BrowserRequest, response: ServerResponse): void;
  /**
   * The access token in a request's cookie; undefined where there is none.
   * @throws AppError forbidden where the proof does not belong to it, or another site's page asks
   */
  tokenOf(request: IncomingMessage, proof: string | undefined): string | undefined;
}

type BrowserRequest = IncomingMessage & { secure: boolean };

interface BrowserSessionDeps {
  secretKey: string;
  /** Seconds. */
  accessTokenTtl: number;
  /** Origins of pages that are ours though they have another host name. */
  origins: readonly string[];
}

const cookieName = 'tenantry_session';

export function createBrowserSessions({ secretKey, accessTokenTtl, origins }: BrowserSessionDeps): BrowserSessions {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'tenantry browser session', 32));
  const proofOf = (token: string): string => createHmac('sha256', key).update(token).digest('base64url');

  const setCookie = (request: BrowserRequest, response: ServerResponse, value: string, seconds: number): void => {
    const attributes = [`${cookieName}=${value}`, 'Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Strict'];
    if (request.secure) attributes.push('Secure');
    response.appendHeader('Set-Cookie', attributes.join('; '));
  };

  function assertOwnPage({ headers }: IncomingMessage): void {
    const { origin, host } = headers;
    if (origin === undefined || origins.includes(origin)) return;
    const from = URL.canParse(origin) ? new URL(origin).host : '';
    if (from !== host) throw new AppError('forbidden', 'A page of another site may not use this session');
  }

  return {
    open(request, response, accessToken) {
      assertOwnPage(request);
      setCookie(request, response, accessToken, accessTokenTtl);
      return proofOf(accessToken);
    },
    close(request, response) {
      setCookie(request, response, '', 0);
    },
    tokenOf(request, proof) {
      const token = cookieOf(request);
      if (token === undefined) return undefined;
      assertOwnPage(request);
      if (proof === undefined || !secretMatcher(proofOf(token))(proof)) {
        throw new AppError('forbidden', 'The session’s proof is missing or wrong: send the header X-CSRF-Token');
      }
      return token;
    },
  };
}

const cookieOf = ({ headers }: IncomingMessage): string | undefined =>
  (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .find(([name]) => name === cookieName)?.[1] || undefined;
