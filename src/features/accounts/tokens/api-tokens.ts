import { createHash } from 'node:crypto';
import { AppError, invalid, notFound } from '../../../lib/errors.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import { commonRole, includesRole, type Role } from '../../../lib/http/routing/roles.ts';
import type { Principal } from '../../../lib/http/routing/route.ts';
import { newId, newSecret } from '../../../lib/ids.ts';
import { type AccountContext, assertSession, auditEntry } from '../context.ts';
import type { ApiToken, User } from '../store.ts';

/** Distinguishes API tokens from access tokens and lets secret scanners recognize them. */
export const apiTokenPrefix = 'tnt_';

/** Tokens are 256 random bits: a fast hash is enough, and an index can find it. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Expired tokens count until they are revoked. */
export const maxTokensPerUser = 50;

export interface NewToken {
  name: string;
  /** undefined: the longest allowed lifetime. */
  expiresAt?: Date | undefined;
  /** undefined: the creator's role. */
  role?: Role | undefined;
}

export type ApiTokenService = ReturnType<typeof createApiTokens>;

/** Personal tokens for scripts: each expires and has a role that is never above its user's. */
export function createApiTokens({
  accounts,
  rows,
  clock,
  writeAuditLog,
  accessChanged,
  maxDays,
}: AccountContext & {
  /** The setting api_token_max_days. */
  maxDays(): Promise<number>;
}) {
  async function existingUser(id: string): Promise<User> {
    const user = await accounts.findUser(id);
    if (!user) throw notFound('user', id);
    return user;
  }

  async function expiryOf(requested: Date | undefined, now: Date): Promise<Date> {
    const days = await maxDays();
    const latest = new Date(now.getTime() + days * 86_400_000);
    if (!requested) return latest;
    if (requested <= now) throw invalid('expires_at', 'Must be in the future');
    if (requested > latest) {
      throw invalid('expires_at', `Must be at most ${days} days from now (setting api_token_max_days)`);
    }
    return requested;
  }

  return {
    maxDays,

    /** @throws AppError not_found for an unknown user */
    async list(userId: string, paging: Paging): Promise<Page<ApiToken>> {
      const user = await existingUser(userId);
      const { items, total } = await accounts.listTokens(userId, paging);
      return { items: items.map((token) => ({ ...token, role: commonRole(token.role, user.role) })), total };
    },

    /** Creates a token and returns it in plain text, this one time. @throws AppError validation_error, forbidden, unauthorized, invalid_state */
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
        expiresAt: await expiryOf(expiresAt, now),
        lastUsedAt: null,
      };
      await accounts.exclusively(async (transaction) => {
        // If a reset or disabling has revoked the user's tokens since authentication, no new one may appear.
        if (!(await rows.find({ id: sessionId }, transaction))) {
          throw new AppError('unauthorized', 'The session has ended; log in again');
        }
        if ((await accounts.countTokens(creator.userId, transaction)) >= maxTokensPerUser) {
          throw new AppError(
            'invalid_state',
            `A user may have at most ${maxTokensPerUser} API tokens. Revoke one first.`,
          );
        }
        await accounts.insertToken(token, transaction);
      });
      await writeAuditLog(
        auditEntry(
          'API token created',
          creator,
          { event: 'token_created', token_id: token.id, token_name: name, token_role: role },
          'sign_in',
        ),
      );
      return { ...token, secret };
    },

    /** @throws AppError not_found, also for another user's token */
    async remove(userId: string, id: string, actor: Principal): Promise<void> {
      const owner = await existingUser(userId);
      const token = await accounts.findToken(userId, id);
      if (!token) throw notFound('token', id);
      await accounts.removeToken(id);
      accessChanged();
      const what = owner.id === actor.userId ? 'API token revoked' : `API token of ${owner.username} revoked`;
      const details = { event: 'token_revoked', subject: userId, token_id: id, token_name: token.name };
      await writeAuditLog(auditEntry(what, actor, details, 'sign_in'));
    },
  };
}
