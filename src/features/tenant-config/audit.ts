import type { Actor, JournalEntry } from '../../platform/events/journal-entry.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { ConfigFields, TenantConfig } from './config-fields.ts';
import { customEnvChanges } from './custom-env.ts';

/** The audit entry of a changed configuration, secrets in `custom_env` hidden; undefined where nothing differs. */
export function configEntry(
  tenant: Tenant,
  before: TenantConfig,
  after: TenantConfig,
  actor: Actor,
): JournalEntry | undefined {
  const plain = Object.keys(after).filter(
    (name) => name !== 'custom_env' && before[name as keyof ConfigFields] !== after[name as keyof ConfigFields],
  );
  const changes: Record<string, unknown> = Object.fromEntries(
    plain.map((name) => [
      name,
      { before: before[name as keyof ConfigFields], after: after[name as keyof ConfigFields] },
    ]),
  );
  const custom = customEnvChanges(before.custom_env, after.custom_env);
  if (Object.keys(custom).length > 0) changes.custom_env = custom;
  if (Object.keys(changes).length === 0) return undefined;
  return {
    level: 'info',
    category: 'audit',
    message: `Configuration of ${tenant.slug} changed by ${actor.username}`,
    tenant: { id: tenant.id, slug: tenant.slug },
    details: { user_id: actor.userId, username: actor.username, changes },
  };
}
