import type { Actor, AuditLogEntry } from '../../adapters/events/audit-log-entry.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { ImportJob } from './job.ts';

/** The audit entry of an action on a list; never contains the list's contents. */
export const audit = (
  tenant: Tenant,
  { id, filename }: Pick<ImportJob, 'id' | 'filename'>,
  actor: Actor,
  what: string,
  details: Record<string, unknown> = {},
): AuditLogEntry => ({
  level: 'info',
  category: 'audit',
  message: `${actor.username} ${what}`,
  tenant,
  details: { user_id: actor.userId, username: actor.username, job_id: id, filename, ...details },
});
