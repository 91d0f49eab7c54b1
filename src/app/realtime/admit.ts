import { AppError } from '../../lib/errors.ts';
import type { Credential } from '../../lib/http/requests/credential.ts';
import type { Principal } from '../../lib/http/routing/route.ts';

/** The owner of a credential. @throws AppError unauthorized, token_expired */
export type Authenticate = (credential: Credential, how: { countsAsUse: boolean }) => Promise<Principal>;

/**
 * The caller of a handshake, who may see streams.
 * @throws AppError unauthorized, token_expired, password_change_required
 */
export async function admit(
  authenticate: Authenticate,
  credential: Credential | undefined,
  how = { countsAsUse: true },
): Promise<{ principal: Principal; credential: Credential }> {
  if (!credential) throw new AppError('unauthorized', 'A token is needed', { headers: bearerChallenge });
  const principal = await authenticate(credential, how);
  if (principal.mustChangePassword) {
    throw new AppError('password_change_required', 'Change your password first: POST /api/auth/change-password');
  }
  return { principal, credential };
}

const bearerChallenge = { 'WWW-Authenticate': 'Bearer' };
