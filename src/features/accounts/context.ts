import type { Actor, AuditLogEntry, LogTopic, WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Principal } from '../../lib/http/routing/route.ts';
import type { Logger } from '../../lib/logger.ts';
import type { SessionStore } from './sessions/store.ts';
import type { AccountStore } from './store.ts';
import type { PasswordHasher } from './users/password-hash.ts';

/** What users, sign-in, sessions and tokens work with. */
export interface AccountContext {
  accounts: AccountStore;
  /** Sessions of users. */
  rows: SessionStore;
  hasher: PasswordHasher;
  clock: Clock;
  logger: Logger;
  writeAuditLog: WriteAuditLog;
  /** Called after a user's access may have ended or shrunk. */
  accessChanged(): void;
}

/** An audit entry about accounts. `details` must never contain a password or a token. */
export function auditEntry(
  what: string,
  actor: Actor,
  details: Record<string, unknown> = {},
  topic?: LogTopic,
): AuditLogEntry {
  return {
    level: 'info',
    category: 'audit',
    ...(topic ? { topic } : {}),
    message: `${what} by ${actor.username}`,
    details: { user_id: actor.userId, username: actor.username, ...details },
  };
}

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
