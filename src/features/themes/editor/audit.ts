import type { Actor, AuditLogEntry } from '../../../adapters/events/audit-log-entry.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import type { ThemeFields } from '../store.ts';
import { logoNames } from './logos.ts';

const audited = ({ colours, logos, aiGenerated, sourceWebsite }: ThemeFields): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(colours).map(([name, colour]) => [`${name}_color`, colour])),
  ...Object.fromEntries(logoNames.map((name) => [name, logos[name]?.file ?? null])),
  ai_generated: aiGenerated,
  source_website: sourceWebsite,
});

/** The audit entry of a changed theme; undefined where nothing differs. */
export function themeEntry(
  tenant: Tenant,
  before: ThemeFields,
  after: ThemeFields,
  actor: Actor,
): AuditLogEntry | undefined {
  const old = audited(before);
  const changes = Object.fromEntries(
    Object.entries(audited(after))
      .filter(([field, value]) => value !== old[field])
      .map(([field, value]) => [field, { before: old[field], after: value }]),
  );
  if (Object.keys(changes).length === 0) return undefined;
  return {
    level: 'info',
    category: 'audit',
    topic: 'theme',
    message: `Theme of ${tenant.slug} changed by ${actor.username}`,
    tenant: { id: tenant.id, slug: tenant.slug },
    details: { user_id: actor.userId, username: actor.username, changes },
  };
}
