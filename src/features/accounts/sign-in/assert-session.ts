import { AppError } from '../../../lib/errors.ts';
import type { Principal } from '../../../lib/http/routing/route.ts';

/**
 * The session of the caller: an API token, whose role may be lower than its user's, must not change what its user signs in with.
 * @throws AppError forbidden
 */
export function assertSession({ sessionId }: Principal): string {
  if (sessionId !== undefined) return sessionId;
  throw new AppError(
    'forbidden',
    'An API token can’t create or revoke tokens, nor end sessions: log in with your password',
  );
}
