import type { AuditLogEntry, WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import { newId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import type { LogFilter, LogRow, LogStore } from './store.ts';

/** Entries removed in one statement; more would block writers for too long. */
const removalBatch = 2_000;
const maxMessageLength = 10_000;
/** Longer details (as JSON) are omitted: the audit log records events, not data. */
const maxDetailsLength = 64 * 1024;

export interface AuditLogService {
  write: WriteAuditLog;
  list(filter: LogFilter, paging: Paging): Promise<Page<LogRow>>;
  lastStops: LogStore['lastStops'];
  after: LogStore['after'];
  newest: LogStore['newest'];
  lastSeq: LogStore['lastSeq'];
  /** Removes entries from before this time, in batches. @returns the number of removed entries */
  removeOlderThan(before: Date): Promise<number>;
}

export function createAuditLogService(rows: LogStore, clock: Clock, logger: Logger): AuditLogService {
  return {
    async write(entry) {
      try {
        await rows.insert({
          id: newId(),
          tenantId: entry.tenant?.id ?? null,
          tenantSlug: entry.tenant?.slug ?? null,
          level: entry.level,
          category: entry.category,
          topic: entry.topic ?? null,
          message: entry.message.slice(0, maxMessageLength),
          details: boundedDetails(entry),
          createdAt: clock.now(),
        });
      } catch (error) {
        logger.error(
          { err: error, entry: { level: entry.level, message: entry.message } },
          'could not write an audit log entry',
        );
      }
    },

    list: (filter, paging) => rows.list(filter, paging),
    lastStops: rows.lastStops,
    after: rows.after,
    newest: rows.newest,
    lastSeq: rows.lastSeq,

    async removeOlderThan(before) {
      let removed = 0;
      for (;;) {
        const some = await rows.removeSome(before, removalBatch);
        removed += some;
        if (some < removalBatch) return removed;
      }
    },
  };
}

/** The details as JSON. Details that can't be stored are replaced by the reason, so that the entry is still written. */
function boundedDetails({ details = {} }: AuditLogEntry): Record<string, unknown> {
  try {
    const text = JSON.stringify(details);
    if (text.length <= maxDetailsLength) return JSON.parse(text);
    return { left_out: `${text.length} characters of details` };
  } catch {
    return { left_out: 'details that are not valid JSON' };
  }
}
