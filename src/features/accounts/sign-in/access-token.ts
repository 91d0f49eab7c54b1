import { hkdfSync } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import { z } from 'zod';
import { roles } from '../../../lib/http/routing/roles.ts';
import type { Session } from '../sessions/store.ts';
import type { User } from '../store.ts';

export const accessTokenAlgorithm = 'HS256';

/** What an access token says. The role is for the client to show: what its user may do is asked of the store each time. */
export const accessTokenClaims = z.object({
  sub: z.uuid(),
  role: z.enum(roles),
  /** The session it belongs to, and ends with. */
  sid: z.uuid(),
  /** Seconds since 1970. */
  exp: z.int(),
});

/** The key that signs access tokens: derived, so that it is no other key of the manager's. */
export const accessTokenKey = (secretKey: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'tenantry access token', 32));

/** The access token of a session, valid as long as the session at most. */
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
