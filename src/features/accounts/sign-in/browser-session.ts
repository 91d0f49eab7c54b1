import { createHmac, hkdfSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors.ts';
import { type Credential, secretMatcher } from '../../../lib/http/requests/credential.ts';

/**
 * The dashboard's session: a random secret in a cookie that no script can read, and a CSRF token that the page sends with
 * each request. Browsers send cookies to every port of a host, so to tenants too, and other sites can cause requests with
 * the cookie: the secret is accepted only from the cookie and only together with its CSRF token.
 */
export interface BrowserSessions {
  /** Sets the cookie. @returns the CSRF token that the page sends with each request (`X-CSRF-Token`) */
  open(request: BrowserRequest, response: ServerResponse, secret: string): string;
  close(request: BrowserRequest, response: ServerResponse): void;
  /** @throws AppError forbidden for a request from another site's page */
  assertOwnPage(request: IncomingMessage): void;
  /**
   * The secret in a request's cookie; undefined without a cookie.
   * @throws AppError forbidden for a wrong CSRF token or a request from another site's page
   */
  credentialOf(request: IncomingMessage, csrfToken: string | undefined): Credential | undefined;
}

type BrowserRequest = IncomingMessage & { secure: boolean };

const plainName = 'tenantry_session';
/** Used over TLS. Browsers accept this prefix only from the same host over HTTPS, so no sibling domain can set the cookie. */
const hostName = `__Host-${plainName}`;

export function createBrowserSessions({
  secretKey,
  accessTokenTtl,
  origins,
}: {
  secretKey: string;
  /** Maximum lifetime of a session, in seconds. */
  accessTokenTtl: number;
  /** Origins of dashboards served from another host name. */
  origins: readonly string[];
}): BrowserSessions {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'tenantry browser session', 32));
  const csrfTokenOf = (secret: string): string => createHmac('sha256', key).update(secret).digest('base64url');

  const setCookie = (request: BrowserRequest, response: ServerResponse, value: string, seconds: number): void => {
    const name = request.secure ? hostName : plainName;
    const attributes = [`${name}=${value}`, 'Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Strict'];
    if (request.secure) attributes.push('Secure');
    response.appendHeader('Set-Cookie', attributes.join('; '));
  };

  function assertOwnPage({ headers }: IncomingMessage): void {
    const { origin, host } = headers;
    if (origin === undefined || origins.includes(origin)) return;
    const from = URL.canParse(origin) ? new URL(origin).host : '';
    if (from !== host) throw new AppError('forbidden', 'Pages of other sites may not use this session');
  }

  return {
    assertOwnPage,
    open(request, response, secret) {
      setCookie(request, response, secret, accessTokenTtl);
      return csrfTokenOf(secret);
    },
    close(request, response) {
      setCookie(request, response, '', 0);
    },
    credentialOf(request, csrfToken) {
      const secret = cookieOf(request, hostName) ?? cookieOf(request, plainName);
      if (secret === undefined) return undefined;
      assertOwnPage(request);
      if (csrfToken === undefined || !secretMatcher(csrfTokenOf(secret))(csrfToken)) {
        throw new AppError('forbidden', 'The CSRF token is missing or wrong: send the header X-CSRF-Token');
      }
      return { kind: 'cookie', value: secret };
    },
  };
}

const cookieOf = ({ headers }: IncomingMessage, cookieName: string): string | undefined =>
  (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .find(([name]) => name === cookieName)?.[1] || undefined;
