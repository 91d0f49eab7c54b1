import type { AuditLogEntry } from '../../../adapters/events/audit-log-entry.ts';
import type { FoundCause } from '../../../lib/errors.ts';
import type { Change, FailedStart } from './facts.ts';

/** What entries that make a tenant run differently are about; not its backups, maintenance windows and the like. */
const changingTopics: ReadonlySet<string> = new Set([
  'configuration',
  'deployment',
  'import',
  'proxy',
  'service',
  'tenant',
  'theme',
  'upgrade',
]);

/** Operations that make a tenant run differently; not backups, drills and rehearsals. Their entries have the operation's id. */
export const changingOperations = ['deploy', 'upgrade', 'move', 'restore'] as const;

/** Fields of a tenant that its application does not see. */
const unseenFields: ReadonlySet<string> = new Set(['notes', 'tags']);

type Entry = Pick<AuditLogEntry, 'message'> & {
  topic: string | null;
  details: Record<string, unknown>;
  createdAt: Date;
};

/**
 * The entries that are about a change of how a tenant runs.
 * @param operations ids of the tenant's changing operations
 */
export const changesAmong = (entries: readonly Entry[], operations: ReadonlySet<unknown>): Change[] =>
  entries
    .filter(({ topic, details }) =>
      topic === null ? operations.has(details.deployment_id) : changingTopics.has(topic) && isSeen(details),
    )
    .map(({ message, createdAt }) => ({ what: message, at: createdAt }));

/**
 * The last start, if it failed.
 * @param entries of the tenant's audit log, the newest first
 */
export function failedStartAmong(entries: readonly Entry[]): FailedStart | undefined {
  const last = entries.find(({ topic }) => topic === 'service');
  const { failed, reason, cause } = last?.details ?? {};
  if (!last || typeof failed !== 'string' || failed === 'stop') return undefined;
  const before = entries.slice(entries.indexOf(last));
  const started = before.findIndex(({ topic, details }) => topic === 'service' && details.started === true);
  const since = started < 0 ? before : before.slice(0, started);
  const change = since.find(({ topic }) => topic === 'configuration');
  return {
    action: failed,
    message: String(reason),
    at: last.createdAt,
    found: cause as FoundCause | undefined,
    change: change && { what: change.message, at: change.createdAt },
  };
}

function isSeen({ changes }: Record<string, unknown>): boolean {
  const fields = typeof changes === 'object' && changes !== null ? Object.keys(changes) : [];
  return fields.length === 0 || fields.some((field) => !unseenFields.has(field));
}
