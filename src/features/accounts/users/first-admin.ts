import { managerActor } from '../../../adapters/events/audit-log-entry.ts';
import { newId, newSecret } from '../../../lib/ids.ts';
import { type AccountContext, auditEntry } from '../context.ts';
import type { AccountStore } from '../store.ts';
import { isGuessable } from './password-rules.ts';

/** `password` is set if it was generated. Never log it. */
export interface FirstAdmin {
  created: boolean;
  username: string;
  password?: string;
}

const username = 'admin';
const email = 'admin@localhost';

/**
 * Creates the administrator `admin` if there are no users. A generated password must be changed at the first login.
 * @param savePassword saves a generated password for the operator before the user is created
 */
export async function ensureFirstAdmin(
  { accounts, clock, writeAuditLog, hasher }: AccountContext,
  givenPassword: string | undefined,
  savePassword?: (password: string) => Promise<void>,
): Promise<FirstAdmin> {
  const now = clock.now();
  const password = givenPassword ?? newSecret(18);
  const created = await accounts.exclusively(async (transaction) => {
    if (await accounts.hasUsers(transaction)) return false;
    if (givenPassword === undefined) await savePassword?.(password);
    const user = {
      id: newId(),
      username,
      email,
      passwordHash: await hasher.hash(password),
      role: 'admin' as const,
      disabled: false,
      mustChangePassword: givenPassword === undefined,
      tokenVersion: 1,
      createdAt: now,
      passwordChangedAt: now,
    };
    await accounts.insertUser(user, transaction);
    return true;
  });
  if (!created) return { created, username };
  await writeAuditLog(auditEntry(`First administrator ${username} created`, managerActor, {}, 'user'));
  // Rejecting a weak password would prevent the manager from starting, so only a warning is logged.
  if (givenPassword !== undefined && (await isGuessable(givenPassword, { username, email }))) {
    await writeAuditLog({ level: 'warning', category: 'audit', message: 'ADMIN_PASSWORD is easy to guess: change it' });
  }
  return givenPassword === undefined ? { created, username, password } : { created, username };
}

/** Whether the first administrator still has the initial password and must change it. */
export async function hasInitialPassword(accounts: AccountStore): Promise<boolean> {
  const user = await accounts.findUserByName(username);
  return user?.mustChangePassword === true && user.passwordChangedAt?.getTime() === user.createdAt.getTime();
}
