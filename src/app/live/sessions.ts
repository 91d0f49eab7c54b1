import { AppError } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Principal } from '../../platform/http/route.ts';

/** Who a token stands for. @throws AppError unauthorized, token_expired */
export type AuthenticateToken = (token: string) => Promise<Principal>;

/** An open connection and the token it was opened with. */
export interface Session {
  readonly token: string;
  /** The token counts no more. */
  revoke(error: AppError): void;
}

/**
 * The caller of a handshake, who may see streams.
 * @throws AppError unauthorized, token_expired, password_change_required
 */
export async function admit(authenticate: AuthenticateToken, token: string | undefined): Promise<Principal> {
  if (token === undefined) throw new AppError('unauthorized', 'A token is needed', { headers: bearerChallenge });
  const principal = await authenticate(token);
  if (principal.mustChangePassword) {
    throw new AppError('password_change_required', 'Change your password first: POST /api/auth/change-password');
  }
  return principal;
}

const bearerChallenge = { 'WWW-Authenticate': 'Bearer' };

/** Open connections outlive the check of their handshake: their tokens are looked at again and again. */
export class Sessions {
  readonly #open = new Set<Session>();
  readonly #authenticate: AuthenticateToken;
  readonly #logger: Logger;
  #checking: Promise<void> | undefined;

  constructor(authenticate: AuthenticateToken, logger: Logger) {
    this.#authenticate = authenticate;
    this.#logger = logger;
  }

  get size(): number {
    return this.#open.size;
  }

  add(session: Session): () => void {
    this.#open.add(session);
    return () => this.#open.delete(session);
  }

  /** Asks once for each token in use; connections whose token counts no more are revoked. */
  recheck(): Promise<void> {
    this.#checking ??= this.#recheckNow().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #recheckNow(): Promise<void> {
    const byToken = Map.groupBy(this.#open, (session) => session.token);
    for (const [token, sessions] of byToken) {
      const error = await this.#refusal(token);
      if (error) for (const session of sessions) session.revoke(error);
    }
  }

  /** A store that can't be asked just now revokes nobody. */
  async #refusal(token: string): Promise<AppError | undefined> {
    try {
      await admit(this.#authenticate, token);
      return undefined;
    } catch (error) {
      if (error instanceof AppError && refusals.has(error.code)) return error;
      this.#logger.warn({ err: error }, 'tokens of open streams could not be checked');
      return undefined;
    }
  }
}

const refusals: ReadonlySet<string> = new Set([
  'unauthorized',
  'invalid_credentials',
  'token_expired',
  'forbidden',
  'password_change_required',
]);
