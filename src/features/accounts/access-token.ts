import { hkdfSync } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import { z } from 'zod';
import { roles } from '../../platform/http/route.ts';
import type { User } from './store.ts';

export const accessTokenAlgorithm = 'HS256';

/** What an access token says. The role is for the client to show: what its user may do is asked of the store each time. */
export const accessTokenClaims = z.object({
  sub: z.uuid(),
  role: z.enum(roles),
  /** The user's token version when it was made. */
  ver: z.int(),
  /** Seconds since 1970. */
  exp: z.int(),
});

/** The key that signs access tokens: derived, so that it is no other key of the manager's. */
export const accessTokenKey = (secretKey: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'tenantry access token', 32));

/** @param ttlSeconds how long the token is valid from `now` on */
export function signAccessToken(user: User, key: Buffer, now: Date, ttlSeconds: number): string {
  const issued = Math.floor(now.getTime() / 1_000);
  const claims: z.output<typeof accessTokenClaims> & { iat: number } = {
    sub: user.id,
    role: user.role,
    ver: user.tokenVersion,
    iat: issued,
    exp: issued + ttlSeconds,
  };
  return jsonwebtoken.sign(claims, key, { algorithm: accessTokenAlgorithm });
}
