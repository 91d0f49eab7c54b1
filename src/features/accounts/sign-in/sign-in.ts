import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import { AppError, invalid, notFound } from '../../../lib/errors.ts';
import { type AccountContext, auditEntry } from '../context.ts';
import type { Client, Sessions } from '../sessions/session-service.ts';
import type { SessionKind } from '../sessions/store.ts';
import type { User } from '../store.ts';
import { assertStrongPassword } from '../users/password-rules.ts';
import { createLoginLimit } from './login-limit.ts';

/** A signed-in user with a new access token or the secret for the cookie. */
export interface SignedIn {
  secret: string;
  user: User;
}

interface PasswordChange {
  current: string;
  next: string;
  keepApiTokens: boolean;
}

export type SignInService = ReturnType<typeof createSignIn>;

/** Logs users in and out and changes their own passwords. */
export function createSignIn({
  accounts,
  clock,
  writeAuditLog,
  hasher,
  rows,
  sessions,
  accessChanged,
}: AccountContext & { sessions: Sessions }) {
  const loginLimit = createLoginLimit();
  // Limits guessing the current password from a stolen session, without locking the user out of logging in.
  const changeLimit = createLoginLimit();
  const open = async (user: User, kind: SessionKind, client: Client): Promise<SignedIn> => ({
    secret: await sessions.open(user, kind, client),
    user,
  });

  return {
    /** @throws AppError invalid_credentials (the same for a wrong name, a wrong password and a disabled user), rate_limited */
    async login(username: string, password: string, kind: SessionKind, client: Client): Promise<SignedIn> {
      const { address, userAgent } = client;
      let known = false;
      const user = await loginLimit.attempt({ name: countedName(username), address }, async () => {
        const named = await accounts.findUserByName(username);
        known = named !== undefined;
        const matches = await hasher.matches(password, named?.passwordHash);
        return matches && named && !named.disabled ? named : undefined;
      });
      if (!user) {
        await writeAuditLog({
          level: 'warning',
          category: 'audit',
          topic: 'sign_in',
          message: 'Login failed',
          details: { username: loggedName(username, known), address },
        });
        throw new AppError('invalid_credentials', 'Wrong username or password');
      }
      await writeAuditLog(
        auditEntry(
          'Login',
          { userId: user.id, username: user.username },
          { event: 'sign_in', address, user_agent: userAgent },
        ),
      );
      return open(user, kind, client);
    },

    /** Ends all sessions of the user. */
    async logout(actor: Actor & { userId: string }): Promise<void> {
      await accounts.exclusively(async (transaction) => {
        await accounts.incrementTokenVersion(actor.userId, transaction);
        await rows.removeAll(actor.userId, transaction);
      });
      accessChanged();
      await writeAuditLog(auditEntry('Logout', actor));
    },

    /**
     * Changes the user's own password, ends all sessions and (unless kept) API tokens, and opens a new session.
     * @throws AppError validation_error, rate_limited
     */
    async changePassword(
      userId: string,
      { current, next, keepApiTokens }: PasswordChange,
      kind: SessionKind,
      client: Client,
    ): Promise<SignedIn> {
      const user = await accounts.findUser(userId);
      if (!user) throw notFound('user', userId);
      const checked = await changeLimit.attempt({ name: userId, address: client.address }, async () =>
        (await hasher.matches(current, user.passwordHash)) ? user : undefined,
      );
      const actor = { userId, username: user.username };
      if (!checked) {
        await writeAuditLog({
          ...auditEntry('Password change rejected: wrong current password', actor, {}, 'sign_in'),
          level: 'warning',
        });
        throw invalid('current_password', 'Wrong current password');
      }
      if (current.normalize('NFKC') === next.normalize('NFKC')) {
        throw invalid('new_password', 'Must differ from the current password');
      }
      await assertStrongPassword('new_password', next, user);
      const passwordHash = await hasher.hash(next);
      const changed = await accounts.exclusively(async (transaction) => {
        const now = await accounts.findUser(userId, transaction);
        // Another request changed the password or removed the user after the check above.
        if (now?.passwordHash !== user.passwordHash) {
          throw new AppError(
            'invalid_state',
            'Another request has just changed the password. Try again with the new one.',
          );
        }
        const changes = {
          passwordHash,
          mustChangePassword: false,
          tokenVersion: now.tokenVersion + 1,
          passwordChangedAt: clock.now(),
        };
        await accounts.updateUser(userId, changes, transaction);
        await rows.removeAll(userId, transaction);
        if (!keepApiTokens) await accounts.removeTokens(userId, transaction);
        return { ...now, ...changes };
      });
      accessChanged();
      await writeAuditLog(
        auditEntry('Password changed', actor, { event: 'password_changed', api_tokens_kept: keepApiTokens }, 'sign_in'),
      );
      return open(changed, kind, client);
    },
  };
}

/**
 * The user name of a failed login for the audit log. Users may type a password into the name field, so only the first two
 * characters of an unknown name are logged.
 */
const loggedName = (typed: string, known: boolean): string => (known ? typed : `${[...typed].slice(0, 2).join('')}…`);

/** The name that failures are counted by: spellings that differ only in case or white space share a counter. */
const countedName = (typed: string): string => typed.trim().normalize('NFC').toLowerCase();
