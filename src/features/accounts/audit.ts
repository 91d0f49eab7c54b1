import type { Actor, AuditLogEntry } from '../../adapters/events/audit-log-entry.ts';

/** An audit entry about accounts. `details` must never contain a password or a token. */
export function auditEntry(what: string, actor: Actor, details: Record<string, unknown> = {}): AuditLogEntry {
  return {
    level: 'info',
    category: 'audit',
    message: `${what} by ${actor.username}`,
    details: { user_id: actor.userId, username: actor.username, ...details },
  };
}
