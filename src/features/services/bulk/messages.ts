import type { z } from 'zod';
import type { DomainEvent } from '../../../adapters/events/messages.ts';
import type { OperationMessages, OperationRecord } from '../../../lib/operations/operation.ts';
import { type BulkResult, bulkInput, bulkState, type ResultCounts } from './bulk-operation.ts';
import { type bulkStream, shownResult } from './schema.ts';

const shownState = (record: OperationRecord) => ({
  bulk_id: record.id,
  status: record.status,
  counts: bulkState.parse(record.state).counts,
});

/** The messages of a bulk operation's stream; it has no log lines. */
export const bulkMessages = {
  progress: (record): z.input<typeof bulkStream.progress> => ({
    type: 'progress',
    ...shownState(record),
    result: null,
  }),
  log: () => undefined,
  complete: (record): z.input<typeof bulkStream.complete> => ({
    type: 'complete',
    ...shownState(record),
    error: record.error?.message ?? null,
  }),
} satisfies OperationMessages;

/** The message about a tenant's changed result. */
export const resultMessage = (
  bulkId: string,
  counts: ResultCounts,
  result: BulkResult,
): z.input<typeof bulkStream.progress> => ({
  type: 'progress',
  bulk_id: bulkId,
  status: 'running',
  counts,
  result: shownResult(result),
});

/** The event about a saved change, for the other features and `/ws/events`. */
export function bulkEvent(record: OperationRecord): Extract<DomainEvent, { type: 'bulk' }> {
  return { type: 'bulk', tenant_id: null, action: bulkInput.parse(record.input).action, ...shownState(record) };
}
