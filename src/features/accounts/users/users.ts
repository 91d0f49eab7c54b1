import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import type { Transaction } from '../../../adapters/store/store.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import { newId } from '../../../lib/ids.ts';
import { type AccountContext, auditEntry } from '../context.ts';
import type { NewUser, UserChange } from '../schema.ts';
import type { User } from '../store.ts';
import { assertStrongPassword } from './password-rules.ts';

export type UserService = ReturnType<typeof createUsers>;

/** The manager's users, managed by administrators. */
export function createUsers({ accounts, clock, writeAuditLog, hasher, accessChanged }: AccountContext) {
  async function existing(id: string, transaction?: Transaction): Promise<User> {
    const user = await accounts.findUser(id, transaction);
    if (!user) throw notFound('user', id);
    return user;
  }

  /** At least one enabled administrator must remain. */
  async function assertNotLastAdmin(user: User, transaction: Transaction): Promise<void> {
    if (user.role !== 'admin' || user.disabled || (await accounts.hasOtherEnabledAdmin(user.id, transaction))) return;
    throw new AppError(
      'invalid_state',
      'You can’t disable, delete or demote the last enabled administrator. Make another user an administrator first.',
    );
  }

  async function assertNameFree(username: string, exceptId: string, transaction: Transaction): Promise<void> {
    if (await accounts.isNameTaken(username, exceptId, transaction)) {
      throw new AppError('username_taken', `The username ${username} is already in use. Choose another one.`);
    }
  }

  return {
    list: (paging: Paging): Promise<Page<User>> => accounts.users(paging),

    /** @throws AppError not_found */
    get: (id: string): Promise<User> => existing(id),

    /** @throws AppError validation_error, username_taken */
    async create(
      { password, must_change_password: mustChangePassword, ...fields }: NewUser,
      actor: Actor,
    ): Promise<User> {
      await assertStrongPassword('password', password, fields);
      const now = clock.now();
      const user: User = {
        ...fields,
        id: newId(),
        passwordHash: await hasher.hash(password),
        mustChangePassword,
        tokenVersion: 1,
        createdAt: now,
        passwordChangedAt: now,
      };
      await accounts.exclusively(async (transaction) => {
        await assertNameFree(user.username, user.id, transaction);
        await accounts.insertUser(user, transaction);
      });
      await writeAuditLog(
        auditEntry(`User ${user.username} created`, actor, { subject: user.id, after: audited(user) }, 'user'),
      );
      return user;
    },

    /** Changes only the given fields. @throws AppError not_found, validation_error, username_taken, invalid_state */
    async update(
      id: string,
      { password, must_change_password: mustChangePassword, ...changes }: UserChange,
      actor: Actor,
    ): Promise<User> {
      const known = await existing(id);
      const fields = definedOf({ ...changes, mustChangePassword });
      if (password !== undefined) await assertStrongPassword('password', password, { ...known, ...fields });
      const passwordHash = password === undefined ? undefined : await hasher.hash(password);
      const [before, after, tokensRevoked] = await accounts.exclusively(async (transaction) => {
        const user = await existing(id, transaction);
        const changed: User = {
          ...user,
          ...fields,
          ...(passwordHash ? { passwordHash, passwordChangedAt: clock.now() } : {}),
        };
        if (changed.username !== user.username) await assertNameFree(changed.username, id, transaction);
        if (changed.role !== 'admin' || changed.disabled) await assertNotLastAdmin(user, transaction);
        // A new password or disabling ends the user's sessions and API tokens permanently.
        const revokes = passwordHash !== undefined || (changed.disabled && !user.disabled);
        if (revokes) changed.tokenVersion += 1;
        const revoked = revokes ? await accounts.removeTokens(id, transaction) : 0;
        await accounts.updateUser(id, changed, transaction);
        return [user, changed, revoked] as const;
      });
      accessChanged();
      const details = {
        event: 'user_changed',
        subject: id,
        before: audited(before),
        after: audited(after),
        ...(passwordHash ? { new_password: true } : {}),
        ...(tokensRevoked > 0 ? { api_tokens_revoked: tokensRevoked } : {}),
      };
      await writeAuditLog(auditEntry(`User ${after.username} changed`, actor, details, 'user'));
      return after;
    },

    /** @throws AppError not_found, invalid_state */
    async remove(id: string, actor: Actor): Promise<void> {
      const user = await accounts.exclusively(async (transaction) => {
        const found = await existing(id, transaction);
        await assertNotLastAdmin(found, transaction);
        await accounts.removeUser(id, transaction);
        return found;
      });
      accessChanged();
      const details = { subject: id, before: audited(user) };
      await writeAuditLog(auditEntry(`User ${user.username} deleted`, actor, details, 'user'));
    },
  };
}

/** The fields of a user that the audit log shows. */
const audited = ({ username, email, role, disabled }: User) => ({ username, email, role, disabled });

/** The fields that are not undefined. */
function definedOf(change: { [Field in keyof User]?: User[Field] | undefined }): Partial<User> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
