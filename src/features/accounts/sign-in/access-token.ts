import { hkdfSync } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import { z } from 'zod';
import { roles } from '../../../lib/http/routing/roles.ts';
import type { Session } from '../sessions/store.ts';
import type { User } from '../store.ts';

export const accessTokenAlgorithm = 'HS256';

/** The role is only for display: each request reads the user's current role from the store. */
export const accessTokenClaims = z.object({
  sub: z.uuid(),
  role: z.enum(roles),
  /** The session that the token belongs to; the token ends with it. */
  sid: z.uuid(),
  /** Seconds since 1970. */
  exp: z.int(),
});

/** The key that signs access tokens, derived from SECRET_KEY so that each purpose has its own key. */
export const accessTokenKey = (secretKey: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'tenantry access token', 32));

/** The access token of a session. It expires with the session. */
export function signAccessToken(
  user: Pick<User, 'id' | 'role'>,
  session: Pick<Session, 'id' | 'createdAt' | 'expiresAt'>,
  key: Buffer,
): string {
  const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000);
  const claims: z.output<typeof accessTokenClaims> & { iat: number } = {
    sub: user.id,
    role: user.role,
    sid: session.id,
    iat: seconds(session.createdAt),
    exp: seconds(session.expiresAt),
  };
  return jsonwebtoken.sign(claims, key, { algorithm: accessTokenAlgorithm });
}
