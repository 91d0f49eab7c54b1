import { createSecretKey } from 'node:crypto';
import type { Request } from 'express';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { bearerToken, type Credential } from '../../../lib/http/requests/credential.ts';
import type { UrlCredentials } from '../../../lib/http/routing/mount.ts';
import { commonRole } from '../../../lib/http/routing/roles.ts';
import type { Principal } from '../../../lib/http/routing/route.ts';
import type { AccountContext } from '../context.ts';
import type { Sessions } from '../sessions/session-service.ts';
import type { SessionCaller } from '../sessions/store.ts';
import type { User } from '../store.ts';
import { apiTokenPrefix, hashToken } from '../tokens/api-tokens.ts';
import type { Tickets } from '../tokens/tickets.ts';
import { accessTokenAlgorithm, accessTokenClaims } from './access-token.ts';
import type { BrowserSessions } from './browser-session.ts';

export interface Authentication {
  /**
   * Identifies the caller by the `Authorization` header, by `ticket` or `access_token` in the query (if the route accepts
   * them), or by the browser's session.
   * @throws AppError unauthorized, token_expired, forbidden
   */
  authenticate(request: Request, accepted: UrlCredentials): Promise<Principal>;
  /** The credential of an authenticated request; open streams are checked again with it. */
  credentialOf(request: Request): Credential | undefined;
  /**
   * Identifies the owner of a credential from a handshake or an open stream.
   * @throws AppError unauthorized, token_expired
   */
  authenticateCredential(credential: Credential, use: Use): Promise<Principal>;
}

/** Whether a request counts as use of the session or only checks it. */
interface Use {
  countsAsUse: boolean;
}

/** Passed to the strategy in place of a request: the token, from whichever source. */
interface Carrier {
  token: string;
  use: Use;
}

/** The last use is saved at most once a minute, so that a busy script does not write a row with every request. */
const lastUsedStepMs = 60_000;

/** Each kind of credential takes one indexed query, so that changes of a user take effect immediately. */
export function createAuthentication(
  deps: AccountContext & { key: Buffer; browser: BrowserSessions; sessions: Sessions; tickets: Tickets },
): Authentication {
  const { accounts, clock, logger, key, browser, sessions, tickets } = deps;
  const credentials = new WeakMap<Request, Credential>();
  const strategy = new Strategy(
    {
      jwtFromRequest: (carrier: unknown) => (carrier as Carrier).token,
      // Given bytes, jsonwebtoken first tries to parse a public key for each token. passport-jwt accepts a key object; its types don't.
      secretOrKey: createSecretKey(key) as unknown as Buffer,
      algorithms: [accessTokenAlgorithm],
      // Checked below: an expired token has its own error code.
      ignoreExpiration: true,
      passReqToCallback: true,
    },
    (carrier: Carrier, claims: unknown, done: (error: unknown, session?: SessionCaller | false) => void) => {
      sessionOfClaims(claims, carrier.use).then(
        (session) => done(null, session),
        (error: unknown) => done(error),
      );
    },
  );

  async function sessionOfClaims(claims: unknown, use: Use): Promise<SessionCaller> {
    const { data } = accessTokenClaims.safeParse(claims);
    if (!data) throw unauthorized();
    if (data.exp * 1_000 <= clock.now().getTime()) throw expired();
    const session = await sessions.use({ accessTokenOf: data.sid }, use);
    if (session.userId !== data.sub) throw unauthorized();
    return session;
  }

  const sessionOfAccessToken = (token: string, use: Use): Promise<SessionCaller> =>
    new Promise((resolve, reject) => {
      const carrier: Carrier = { token, use };
      const onResult = (error: unknown, session?: SessionCaller | false | null): void => {
        if (error) reject(error);
        else if (session) resolve(session);
        else reject(unauthorized());
      };
      // passport stores this call's callbacks on the strategy: a shared object would answer another caller's request.
      const ownStrategy = Object.create(strategy) as Strategy;
      passport.authenticate(ownStrategy, { session: false }, onResult)(carrier, {}, reject);
    });

  async function userOfApiToken(text: string): Promise<User> {
    const found = await accounts.findTokenWithUser(hashToken(text));
    if (!found) throw unauthorized();
    const { token, user } = found;
    const now = clock.now();
    if (token.expiresAt <= now) throw expired();
    if (now.getTime() - (token.lastUsedAt?.getTime() ?? 0) >= lastUsedStepMs) {
      accounts.markUsed(token.id, now).catch((error: unknown) => {
        logger.warn({ message: messageOf(error) }, 'could not save the last use of an API token');
      });
    }
    return { ...user, role: commonRole(token.role, user.role) };
  }

  async function authenticateCredential({ kind, value }: Credential, use: Use): Promise<Principal> {
    if (kind === 'token' && value.startsWith(apiTokenPrefix)) {
      const user = await userOfApiToken(value);
      if (user.disabled) throw unauthorized();
      const { id: userId, username, role, mustChangePassword } = user;
      return { userId, username, role, mustChangePassword };
    }
    const session = await (kind === 'cookie' ? sessions.use({ secret: value }, use) : sessionOfAccessToken(value, use));
    const { id: sessionId, userId, username, role, mustChangePassword } = session;
    return { userId, username, role, mustChangePassword, sessionId };
  }

  return {
    async authenticate(request, accepted) {
      const credential =
        tokenCredential(bearerToken(request)) ??
        (accepted.ticket ? tickets.redeemFromQuery(request.query.ticket, request.baseUrl + request.path) : undefined) ??
        (accepted.queryToken ? tokenCredential(request.query.access_token) : undefined) ??
        browser.credentialOf(request, request.get('X-CSRF-Token'));
      if (!credential) {
        throw new AppError('unauthorized', 'Authentication required: send the header Authorization: Bearer <token>');
      }
      // Automatic requests of an open page must not keep the session alive.
      const countsAsUse = request.get(backgroundHeader) === undefined;
      const principal = await authenticateCredential(credential, { countsAsUse });
      credentials.set(request, credential);
      return principal;
    },
    credentialOf: (request) => credentials.get(request),
    authenticateCredential,
  };
}

/** The dashboard sends this header with requests that no user action caused. */
const backgroundHeader = 'X-Background-Request';

const tokenCredential = (token: unknown): Credential | undefined =>
  typeof token === 'string' && token !== '' ? { kind: 'token', value: token } : undefined;

const unauthorized = (): AppError => new AppError('unauthorized', 'Invalid or revoked token');
const expired = (): AppError => new AppError('token_expired', 'The token has expired; log in again');
