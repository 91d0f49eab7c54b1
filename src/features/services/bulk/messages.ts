import type { DomainEvent } from '../../../adapters/events/messages.ts';
import type { OperationMessages, OperationRecord } from '../../../lib/operations/operation.ts';
import type { StreamMessage } from '../../../lib/streams/replay-stream.ts';
import { type BulkResult, bulkInput, bulkState, type ResultCounts } from './bulk-operation.ts';
import { shownResult } from './schema.ts';

const shownState = (record: OperationRecord) => ({
  bulk_id: record.id,
  status: record.status,
  counts: bulkState.parse(record.state).counts,
});

/** The messages of a bulk operation's stream; it has no log lines. */
export const bulkMessages: OperationMessages = {
  progress: (record) => ({ type: 'progress', ...shownState(record), result: null }),
  log: () => undefined,
  complete: (record) => ({ type: 'complete', ...shownState(record), error: record.error?.message ?? null }),
};

/** One tenant's result changed. */
export const resultMessage = (bulkId: string, counts: ResultCounts, result: BulkResult): StreamMessage => ({
  type: 'progress',
  bulk_id: bulkId,
  status: 'running',
  counts,
  result: shownResult(result),
});

/** A saved change of a bulk operation, as the other features and `/ws/events` see it. */
export function bulkEvent(record: OperationRecord): Extract<DomainEvent, { type: 'bulk' }> {
  return { type: 'bulk', tenant_id: null, action: bulkInput.parse(record.input).action, ...shownState(record) };
}
