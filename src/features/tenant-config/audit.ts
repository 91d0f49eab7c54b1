import type { Actor, AuditLogEntry } from '../../adapters/events/audit-log-entry.ts';
import type { Tenant } from '../tenants/tenants.ts';
import type { ConfigFields } from './config-fields.ts';
import { customEnvChanges, hiddenMarker } from './custom-env.ts';

/** A change of one field or of one entry of `custom_env`; null: no value before or after. */
export interface ConfigChange {
  field: keyof ConfigFields;
  entry: string | null;
  before: string | null;
  after: string | null;
}

/** The differences between two configurations, with secrets in `custom_env` hidden. */
export function changesOf(before: ConfigFields, after: ConfigFields): ConfigChange[] {
  const { custom_env: entriesBefore, ...plainBefore } = before;
  const { custom_env: entriesAfter, ...plainAfter } = after;
  const names = Object.keys(plainAfter) as (keyof typeof plainAfter)[];
  const plain = names.filter((name) => plainBefore[name] !== plainAfter[name]);
  return [
    ...plain.map((field) => ({ field, entry: null, before: plainBefore[field], after: plainAfter[field] })),
    ...Object.entries(customEnvChanges(entriesBefore, entriesAfter)).map(([entry, change]) => ({
      field: 'custom_env' as const,
      entry,
      ...change,
    })),
  ];
}

/** The audit entry for a changed configuration; undefined without changes. */
export function configEntry(
  tenant: Tenant,
  before: ConfigFields,
  after: ConfigFields,
  actor: Actor,
): AuditLogEntry | undefined {
  const found = changesOf(before, after);
  if (found.length === 0) return undefined;
  const changes: Record<string, unknown> = {};
  for (const { field, entry, ...change } of found) if (entry === null) changes[field] = change;
  // Hide all values of `custom_env`: secrets can't always be recognized by name.
  const hidden = (value: string | null): string | null => (value === null ? null : hiddenMarker);
  const custom = found.flatMap(({ entry, before, after }) =>
    entry === null ? [] : [[entry, { before: hidden(before), after: hidden(after) }]],
  );
  if (custom.length > 0) changes.custom_env = Object.fromEntries(custom);
  return {
    level: 'info',
    category: 'audit',
    topic: 'configuration',
    message: `Configuration of ${tenant.slug} changed by ${actor.username}`,
    tenant: { id: tenant.id, slug: tenant.slug },
    details: { user_id: actor.userId, username: actor.username, changes },
  };
}
