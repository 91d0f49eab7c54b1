import { AppError } from '../../../lib/errors.ts';
import type { Principal } from '../../../lib/http/routing/route.ts';

/**
 * Returns the caller's session. An API token may have a lower role than its user, so it must not change sessions or tokens.
 * @throws AppError forbidden
 */
export function assertSession({ sessionId }: Principal): string {
  if (sessionId !== undefined) return sessionId;
  throw new AppError(
    'forbidden',
    'An API token can’t create or revoke tokens or end sessions. Log in with your password.',
  );
}
