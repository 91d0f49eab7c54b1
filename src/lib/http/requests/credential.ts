import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What a caller presents: an access or API token, or the secret of the dashboard's cookie, which is accepted only from a cookie. */
export interface Credential {
  kind: 'token' | 'cookie';
  value: string;
}

/** The token of `Authorization: Bearer …`. */
export const bearerToken = ({ headers }: IncomingMessage): string | undefined =>
  /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];

/** Compares with a secret in constant time. */
export function secretMatcher(secret: string): (candidate: string) => boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(secret);
  return (candidate) => timingSafeEqual(digest(candidate), expected);
}
