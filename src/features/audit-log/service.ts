import type { JournalEntry, WriteJournal } from '../../adapters/events/journal-entry.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import { newId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import type { LogFilter, LogRow, LogStore } from './store.ts';

/** Entries removed in one statement, so that writers need not wait long. */
const portion = 2_000;
const longestMessage = 10_000;
/** Details that are longer, as JSON, are left out: the journal tells what happened, it is no store of data. */
const longestDetails = 64 * 1024;

export interface AuditLogService {
  write: WriteJournal;
  list(filter: LogFilter, paging: Paging): Promise<Page<LogRow>>;
  /** Removes entries made before this moment, in portions. @returns how many */
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
          message: entry.message.slice(0, longestMessage),
          details: boundedDetails(entry),
          createdAt: clock.now(),
        });
      } catch (error) {
        logger.error(
          { err: error, entry: { level: entry.level, message: entry.message } },
          'journal entry not written',
        );
      }
    },

    list: (filter, paging) => rows.list(filter, paging),

    async removeOlderThan(before) {
      let removed = 0;
      for (;;) {
        const some = await rows.removeSome(before, portion);
        removed += some;
        if (some < portion) return removed;
      }
    },
  };
}

/** The details as JSON can hold them; where they can't be kept, the reason stands in their place and the entry is written. */
function boundedDetails({ details = {} }: JournalEntry): Record<string, unknown> {
  try {
    const text = JSON.stringify(details);
    if (text.length <= longestDetails) return JSON.parse(text);
    return { left_out: `${text.length} characters of details` };
  } catch {
    return { left_out: 'details that are no JSON' };
  }
}
