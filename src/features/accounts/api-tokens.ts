import { createHash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import { newId, newSecret } from '../../kernel/ids.ts';
import type { Actor, WriteJournal } from '../../platform/events/journal-entry.ts';
import type { Page, Paging } from '../../platform/http/paging.ts';
import type { AccessChanged } from './access-changed.ts';
import { auditEntry } from './audit.ts';
import type { AccountStore, ApiToken } from './store.ts';

/** Tells an API token from an access token, and whoever finds one what it is. */
export const apiTokenPrefix = 'tnt_';

/** As tokens are kept. They are random, 256 bits: a fast hash is enough, and lets them be found by an index. */
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex');

export interface NewToken {
  name: string;
  expiresAt: Date | null;
}

interface ApiTokenDeps {
  accounts: AccountStore;
  clock: Clock;
  journal: WriteJournal;
  accessChanged: AccessChanged;
}

export type ApiTokenService = ReturnType<typeof createApiTokens>;

/** Personal tokens for scripts, with the role of their user. */
export function createApiTokens({ accounts, clock, journal, accessChanged }: ApiTokenDeps) {
  return {
    list(userId: string, paging: Paging): Promise<Page<ApiToken>> {
      return accounts.tokensOf(userId, paging);
    },

    /** Makes a token and answers it in clear, this once. @throws AppError validation_error */
    async create(userId: string, { name, expiresAt }: NewToken, actor: Actor): Promise<ApiToken & { secret: string }> {
      const now = clock.now();
      if (expiresAt && expiresAt <= now) throw invalid('expires_at', 'Must be in the future');
      const secret = `${apiTokenPrefix}${newSecret()}`;
      const token = {
        id: newId(),
        userId,
        name,
        tokenHash: hashOfToken(secret),
        createdAt: now,
        expiresAt,
        lastUsedAt: null,
      };
      await accounts.insertToken(token);
      await journal(auditEntry('API token created', actor, { token_id: token.id, token_name: name }));
      return { ...token, secret };
    },

    /** @throws AppError not_found, also where the token is another user's */
    async remove(userId: string, id: string, actor: Actor): Promise<void> {
      const token = await accounts.tokenOf(userId, id);
      if (!token) throw notFound('token', id);
      await accounts.removeToken(id);
      accessChanged();
      await journal(auditEntry('API token revoked', actor, { token_id: id, token_name: token.name }));
    },
  };
}
