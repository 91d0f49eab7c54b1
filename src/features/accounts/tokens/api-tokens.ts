import { createHash } from 'node:crypto';
import type { WriteJournal } from '../../../adapters/events/journal-entry.ts';
import type { Clock } from '../../../lib/clock.ts';
import { AppError, invalid, notFound } from '../../../lib/errors.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import { commonRole, includesRole, type Role } from '../../../lib/http/routing/roles.ts';
import type { Principal } from '../../../lib/http/routing/route.ts';
import { newId, newSecret } from '../../../lib/ids.ts';
import { auditEntry } from '../audit.ts';
import type { SessionStore } from '../sessions/store.ts';
import { assertSession } from '../sign-in/assert-session.ts';
import type { AccountStore, ApiToken, User } from '../store.ts';

/** Tells an API token from an access token, and whoever finds one what it is. */
export const apiTokenPrefix = 'tnt_';

/** As tokens are kept. They are random, 256 bits: a fast hash is enough, and lets them be found by an index. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** For one user; expired tokens count until they are revoked. */
export const maxTokensPerUser = 50;

export interface NewToken {
  name: string;
  /** The longest possible life where it is undefined. */
  expiresAt?: Date | undefined;
  /** The creator's role where it is undefined. */
  role?: Role | undefined;
}

interface ApiTokenDeps {
  accounts: AccountStore;
  /** Sessions of users. */
  rows: Pick<SessionStore, 'find'>;
  clock: Clock;
  journal: WriteJournal;
  /** Called after a user's access may have ended or shrunk. */
  accessChanged(): void;
  /** The setting api_token_max_days. */
  maxDays(): Promise<number>;
}

export type ApiTokenService = ReturnType<typeof createApiTokens>;

/** Personal tokens for scripts: each has an end and a role that is never above its user's. */
export function createApiTokens({ accounts, rows, clock, journal, accessChanged, maxDays }: ApiTokenDeps) {
  async function existingUser(id: string): Promise<User> {
    const user = await accounts.findUser(id);
    if (!user) throw notFound('user', id);
    return user;
  }

  async function endOf(wanted: Date | undefined, now: Date): Promise<Date> {
    const days = await maxDays();
    const latest = new Date(now.getTime() + days * 86_400_000);
    if (!wanted) return latest;
    if (wanted <= now) throw invalid('expires_at', 'Must be in the future');
    if (wanted > latest) {
      throw invalid('expires_at', `Must be at most ${days} days from now (setting api_token_max_days)`);
    }
    return wanted;
  }

  return {
    maxDays,

    /** @throws AppError not_found where there is no such user */
    async list(userId: string, paging: Paging): Promise<Page<ApiToken>> {
      const user = await existingUser(userId);
      const { items, total } = await accounts.listTokens(userId, paging);
      return { items: items.map((token) => ({ ...token, role: commonRole(token.role, user.role) })), total };
    },

    /** Makes a token and answers it in clear, this once. @throws AppError validation_error, forbidden, unauthorized, invalid_state */
    async create(creator: Principal, { name, expiresAt, role = creator.role }: NewToken) {
      const sessionId = assertSession(creator);
      if (!includesRole(creator.role, role)) throw invalid('role', `Must not be above your own role, ${creator.role}`);
      const now = clock.now();
      const secret = `${apiTokenPrefix}${newSecret()}`;
      const token: ApiToken = {
        id: newId(),
        userId: creator.userId,
        name,
        tokenHash: hashToken(secret),
        role,
        createdAt: now,
        expiresAt: await endOf(expiresAt, now),
        lastUsedAt: null,
      };
      await accounts.exclusively(async (transaction) => {
        // A reset or disabling since the request was authenticated has removed the user's tokens; this one must not follow them.
        if (!(await rows.find({ id: sessionId }, transaction))) {
          throw new AppError('unauthorized', 'The session has ended; log in again');
        }
        if ((await accounts.countTokens(creator.userId, transaction)) >= maxTokensPerUser) {
          throw new AppError('invalid_state', `A user has at most ${maxTokensPerUser} API tokens: revoke one first`);
        }
        await accounts.insertToken(token, transaction);
      });
      await journal(
        auditEntry('API token created', creator, { token_id: token.id, token_name: name, token_role: role }),
      );
      return { ...token, secret };
    },

    /** @throws AppError not_found, also where the token is another user's */
    async remove(userId: string, id: string, actor: Principal): Promise<void> {
      const owner = await existingUser(userId);
      const token = await accounts.findToken(userId, id);
      if (!token) throw notFound('token', id);
      await accounts.removeToken(id);
      accessChanged();
      const what = owner.id === actor.userId ? 'API token revoked' : `API token of ${owner.username} revoked`;
      await journal(auditEntry(what, actor, { subject: userId, token_id: id, token_name: token.name }));
    },
  };
}
