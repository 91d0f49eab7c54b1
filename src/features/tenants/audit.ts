import { isDeepStrictEqual } from 'node:util';
import type { Actor, AuditLogEntry } from '../../adapters/events/audit-log-entry.ts';
import type { Tenant } from './tenant.ts';

/** The fields that users can change, with the API's names. A tenant's credentials are already masked. */
const audited = (tenant: Tenant): Record<string, unknown> => ({
  name: tenant.name,
  slug: tenant.slug,
  domain: tenant.domain,
  api_domain: tenant.apiDomain,
  frontend_port: tenant.frontendPort,
  backend_port: tenant.backendPort,
  git_repo: tenant.gitRepo,
  notes: tenant.notes,
  tags: tenant.tags,
});

/** The fields that differ, each with its value before and after. */
export function changesBetween(before: Tenant, after: Tenant): Record<string, { before: unknown; after: unknown }> {
  const old = audited(before);
  return Object.fromEntries(
    Object.entries(audited(after))
      .filter(([field, value]) => !isDeepStrictEqual(value, old[field]))
      .map(([field, value]) => [field, { before: old[field], after: value }]),
  );
}

/** An audit entry about a tenant. */
export function auditEntry(
  tenant: { id: string; slug: string },
  what: string,
  actor: Actor,
  details: Record<string, unknown>,
): AuditLogEntry {
  return {
    level: 'info',
    category: 'audit',
    topic: 'tenant',
    message: `Tenant ${tenant.slug} ${what} by ${actor.username}`,
    tenant: { id: tenant.id, slug: tenant.slug },
    details: { user_id: actor.userId, username: actor.username, ...details },
  };
}

/** The audit entry for a new tenant. */
export const createdEntry = (tenant: Tenant, actor: Actor): AuditLogEntry =>
  auditEntry(tenant, 'created', actor, { after: audited(tenant) });

/** The audit entry for a deleted tenant. */
export const removedEntry = (tenant: Tenant, actor: Actor, portsReleased: readonly number[]): AuditLogEntry =>
  auditEntry(tenant, 'deleted', actor, { before: audited(tenant), ports_released: portsReleased });
