import { createHmac, hkdfSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors.ts';
import type { Credential } from '../../../lib/http/requests/credential.ts';
import { secretMatcher } from '../../../lib/http/requests/credential.ts';

/**
 * The dashboard's session: a random secret in a cookie that no script can read, and a proof that the page keeps and sends with
 * each request. Browsers send cookies to every port of a host, so to tenants as well, and other sites' pages can make them
 * be sent: the secret is accepted only from the cookie, and only together with its proof.
 */
export interface BrowserSessions {
  /** Sets the cookie; answers the proof that the page sends with each request (`X-CSRF-Token`). */
  open(request: BrowserRequest, response: ServerResponse, secret: string): string;
  close(request: BrowserRequest, response: ServerResponse): void;
  /** @throws AppError forbidden where another site's page asks */
  assertOwnPage(request: IncomingMessage): void;
  /**
   * The secret in a request's cookie; undefined where there is none.
   * @throws AppError forbidden where the proof does not belong to it, or another site's page asks
   */
  credentialOf(request: IncomingMessage, proof: string | undefined): Credential | undefined;
}

type BrowserRequest = IncomingMessage & { secure: boolean };

interface BrowserSessionDeps {
  secretKey: string;
  /** Seconds that a session lives at most. */
  accessTokenTtl: number;
  /** Origins of pages that are ours though they have another host name. */
  origins: readonly string[];
}

const plainName = 'tenantry_session';
/** Under TLS. Browsers take a cookie of this name only from this host and by HTTPS, so no neighbour can set it. */
const hostName = `__Host-${plainName}`;

export function createBrowserSessions({ secretKey, accessTokenTtl, origins }: BrowserSessionDeps): BrowserSessions {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'tenantry browser session', 32));
  const proofOf = (secret: string): string => createHmac('sha256', key).update(secret).digest('base64url');

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
    if (from !== host) throw new AppError('forbidden', 'A page of another site may not use this session');
  }

  return {
    assertOwnPage,
    open(request, response, secret) {
      setCookie(request, response, secret, accessTokenTtl);
      return proofOf(secret);
    },
    close(request, response) {
      setCookie(request, response, '', 0);
    },
    credentialOf(request, proof) {
      const secret = cookieOf(request, hostName) ?? cookieOf(request, plainName);
      if (secret === undefined) return undefined;
      assertOwnPage(request);
      if (proof === undefined || !secretMatcher(proofOf(secret))(proof)) {
        throw new AppError('forbidden', 'The session’s proof is missing or wrong: send the header X-CSRF-Token');
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
