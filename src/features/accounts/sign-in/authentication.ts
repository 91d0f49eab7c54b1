import { createSecretKey } from 'node:crypto';
import type { Request } from 'express';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import type { Clock } from '../../../lib/clock.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { bearerToken, type Credential } from '../../../lib/http/requests/credential.ts';
import type { UrlCredentials } from '../../../lib/http/routing/mount.ts';
import { commonRole } from '../../../lib/http/routing/roles.ts';
import type { Principal } from '../../../lib/http/routing/route.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Sessions } from '../sessions/session-service.ts';
import type { SessionCaller } from '../sessions/store.ts';
import type { AccountStore, User } from '../store.ts';
import { apiTokenPrefix, hashToken } from '../tokens/api-tokens.ts';
import type { Tickets } from '../tokens/tickets.ts';
import { accessTokenAlgorithm, accessTokenClaims } from './access-token.ts';
import type { BrowserSessions } from './browser-session.ts';

export interface Authentication {
  /**
   * The caller of a request, by its `Authorization` header, where accepted `ticket` or `access_token` in the query, or a
   * browser's session.
   * @throws AppError unauthorized, token_expired, forbidden
   */
  authenticate(request: Request, accepted: UrlCredentials): Promise<Principal>;
  /** What a request showed that was authenticated; by it, an open stream is checked again. */
  credentialOf(request: Request): Credential | undefined;
  /**
   * The owner of a credential that a handshake carried, or that an open stream was opened with.
   * @throws AppError unauthorized, token_expired
   */
  authenticateCredential(credential: Credential, how: Use): Promise<Principal>;
}

/** Whether the session is in use by this, or only checked. */
interface Use {
  countsAsUse: boolean;
}

interface AuthenticationDeps {
  accounts: AccountStore;
  clock: Clock;
  logger: Logger;
  key: Buffer;
  browser: BrowserSessions;
  sessions: Sessions;
  tickets: Tickets;
}

/** What the strategy gets in place of a request: the token, wherever it came from. */
interface Carrier {
  token: string;
  use: Use;
}

/** How exactly the time of last use is kept: a busy script must not write a row with every request. */
const lastUsedStepMs = 60_000;

/** Every way costs one indexed query, so that a change of a user counts at once. */
export function createAuthentication(deps: AuthenticationDeps): Authentication {
  const { accounts, clock, logger, key, browser, sessions, tickets } = deps;
  const credentials = new WeakMap<Request, Credential>();
  const strategy = new Strategy(
    {
      jwtFromRequest: (carrier: unknown) => (carrier as Carrier).token,
      // Given bytes, jsonwebtoken would first try at every token whether they are a public key; passport-jwt hands a key object on, but its types don't know.
      secretOrKey: createSecretKey(key) as unknown as Buffer,
      algorithms: [accessTokenAlgorithm],
      // Told apart below: an expired token is answered with a code of its own.
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
      const decided = (error: unknown, session?: SessionCaller | false | null): void => {
        if (error) reject(error);
        else if (session) resolve(session);
        else reject(unauthorized());
      };
      // passport writes this call's callbacks onto the object it is given: a shared one would answer another caller's request.
      const ofThisCall = Object.create(strategy) as Strategy;
      passport.authenticate(ofThisCall, { session: false }, decided)(carrier, {}, reject);
    });

  async function userOfApiToken(text: string): Promise<User> {
    const found = await accounts.findTokenWithUser(hashToken(text));
    if (!found) throw unauthorized();
    const { token, user } = found;
    const now = clock.now();
    if (token.expiresAt <= now) throw expired();
    if (now.getTime() - (token.lastUsedAt?.getTime() ?? 0) >= lastUsedStepMs) {
      accounts.markUsed(token.id, now).catch((error: unknown) => {
        logger.warn({ message: messageOf(error) }, 'last use of an API token not noted');
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
        throw new AppError('unauthorized', 'This needs a token: send the header Authorization: Bearer <token>');
      }
      // What an open page asks for by itself keeps no session alive.
      const countsAsUse = request.get(backgroundHeader) === undefined;
      const principal = await authenticateCredential(credential, { countsAsUse });
      credentials.set(request, credential);
      return principal;
    },
    credentialOf: (request) => credentials.get(request),
    authenticateCredential,
  };
}

/** Sent by pages with requests that no person has caused. */
const backgroundHeader = 'X-Background-Request';

const tokenCredential = (token: unknown): Credential | undefined =>
  typeof token === 'string' && token !== '' ? { kind: 'token', value: token } : undefined;

const unauthorized = (): AppError => new AppError('unauthorized', 'Invalid or revoked token');
const expired = (): AppError => new AppError('token_expired', 'The token has expired; log in again');
