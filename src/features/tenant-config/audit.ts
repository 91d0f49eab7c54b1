import type { Actor, JournalEntry } from '../../adapters/events/journal-entry.ts';
import type { Tenant } from '../tenants/tenants.ts';
import type { ConfigFields } from './config-fields.ts';
import { customEnvChanges, hiddenMarker } from './custom-env.ts';

/** What changes of one field, or of one entry of `custom_env`; null where there was or is none. */
export interface ConfigChange {
  field: keyof ConfigFields;
  entry: string | null;
  before: string | null;
  after: string | null;
}

/** How two configurations differ, secrets in `custom_env` hidden. */
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

/** The audit entry of a changed configuration; undefined where nothing differs. */
export function configEntry(
  tenant: Tenant,
  before: ConfigFields,
  after: ConfigFields,
  actor: Actor,
): JournalEntry | undefined {
  const found = changesOf(before, after);
  if (found.length === 0) return undefined;
  const changes: Record<string, unknown> = {};
  for (const { field, entry, ...change } of found) if (entry === null) changes[field] = change;
  // No value of `custom_env` is kept in clear: those of secrets are not always known by their names.
  const hidden = (value: string | null): string | null => (value === null ? null : hiddenMarker);
  const custom = found.flatMap(({ entry, before, after }) =>
    entry === null ? [] : [[entry, { before: hidden(before), after: hidden(after) }]],
  );
  if (custom.length > 0) changes.custom_env = Object.fromEntries(custom);
  return {
    level: 'info',
    category: 'audit',
    message: `Configuration of ${tenant.slug} changed by ${actor.username}`,
    tenant: { id: tenant.id, slug: tenant.slug },
    details: { user_id: actor.userId, username: actor.username, changes },
  };
}
