import { createSecretKey } from 'node:crypto';
import type { Request } from 'express';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import type { Clock } from '../../kernel/clock.ts';
import { AppError, messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Principal } from '../../platform/http/route.ts';
import { accessTokenAlgorithm, accessTokenClaims } from './access-token.ts';
import { apiTokenPrefix, hashOfToken } from './api-tokens.ts';
import type { BrowserSessions } from './browser-session.ts';
import type { AccountStore, User } from './store.ts';

export interface Authentication {
  /**
   * The caller of a request, by its `Authorization` header, where allowed the query parameter `access_token`, or a browser's
   * session.
   * @throws AppError unauthorized, token_expired, forbidden
   */
  authenticate(request: Request, options: { queryToken: boolean }): Promise<Principal>;
  /** The bearer of a token: for handshakes, which carry it elsewhere. @throws AppError unauthorized, token_expired */
  authenticateToken(token: string): Promise<Principal>;
}

interface AuthenticationDeps {
  accounts: AccountStore;
  clock: Clock;
  logger: Logger;
  key: Buffer;
  browser: BrowserSessions;
}

/** What the strategy gets in place of a request: the token, wherever it came from. */
interface Carrier {
  token: string;
}

/** How exactly the time of last use is kept: a busy script must not write a row with every request. */
const lastUsedStepMs = 60_000;

/** Every way costs one indexed query, so that a change of a user counts at once. */
export function createAuthentication({ accounts, clock, logger, key, browser }: AuthenticationDeps): Authentication {
  const strategy = new Strategy(
    {
      jwtFromRequest: (carrier: unknown) => (carrier as Carrier).token,
      // Given bytes, jsonwebtoken would first try at every token whether they are a public key; passport-jwt hands a key object on, but its types don't know.
      secretOrKey: createSecretKey(key) as unknown as Buffer,
      algorithms: [accessTokenAlgorithm],
      // Told apart below: an expired token is answered with a code of its own.
      ignoreExpiration: true,
    },
    (claims: unknown, done: (error: unknown, user?: User | false) => void) => {
      userOfClaims(claims).then(
        (user) => done(null, user),
        (error: unknown) => done(error),
      );
    },
  );

  async function userOfClaims(claims: unknown): Promise<User> {
    const { data } = accessTokenClaims.safeParse(claims);
    if (!data) throw unauthorized();
    if (data.exp * 1_000 <= clock.now().getTime()) throw expired();
    const user = await accounts.user(data.sub);
    if (user?.tokenVersion !== data.ver) throw unauthorized();
    return user;
  }

  const userOfAccessToken = (token: string): Promise<User> =>
    new Promise((resolve, reject) => {
      const carrier: Carrier = { token };
      const decided = (error: unknown, user?: User | false | null): void => {
        if (error) reject(error);
        else if (user) resolve(user);
        else reject(unauthorized());
      };
      // passport writes this call's callbacks onto the object it is given: a shared one would answer another caller's request.
      const ofThisCall = Object.create(strategy) as Strategy;
      passport.authenticate(ofThisCall, { session: false }, decided)(carrier, {}, reject);
    });

  async function userOfApiToken(text: string): Promise<User> {
    const found = await accounts.tokenWithUser(hashOfToken(text));
    if (!found) throw unauthorized();
    const { token, user } = found;
    const now = clock.now();
    if (token.expiresAt && token.expiresAt <= now) throw expired();
    if (now.getTime() - (token.lastUsedAt?.getTime() ?? 0) >= lastUsedStepMs) {
      accounts.markUsed(token.id, now).catch((error: unknown) => {
        logger.warn({ message: messageOf(error) }, 'last use of an API token not noted');
      });
    }
    return user;
  }

  async function authenticateToken(token: string): Promise<Principal> {
    const user = await (token.startsWith(apiTokenPrefix) ? userOfApiToken(token) : userOfAccessToken(token));
    if (user.disabled) throw unauthorized();
    return {
      userId: user.id,
      username: user.username,
      role: user.role,
      mustChangePassword: user.mustChangePassword,
    };
  }

  return {
    async authenticate(request, { queryToken }) {
      const token =
        bearerOf(request) ??
        (queryToken ? request.query.access_token : undefined) ??
        browser.tokenOf(request, request.get('X-CSRF-Token'));
      if (typeof token !== 'string' || token === '') {
        throw new AppError('unauthorized', 'This needs a token: send the header Authorization: Bearer <token>');
      }
      return authenticateToken(token);
    },
    authenticateToken,
  };
}

const bearerOf = (request: Request): string | undefined =>
  /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];

const unauthorized = (): AppError => new AppError('unauthorized', 'The token is not valid, or no longer');
const expired = (): AppError => new AppError('token_expired', 'The token has expired; log in again');
