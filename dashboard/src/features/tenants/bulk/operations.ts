import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Tenant } from '../../../api/client.ts';
import type { StreamMessage } from '../../../api/live.ts';
import { queryClient, tenantsQuery } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';
import { notify, toasts } from '../../../components/feedback/toasts.tsx';
import { onForget } from '../../accounts/session/forget.ts';
import { keptStore } from './kept-store.ts';

export type BulkOperation = components['schemas']['BulkOperation'];
export type BulkSummary = components['schemas']['BulkOperationSummary'];
export type BulkRequest = components['schemas']['NewBulkOperation'];
export type BulkResult = components['schemas']['BulkResult'];

/** The latest operations of all users. */
export const bulksQuery = queryOptions({
  queryKey: ['bulks'],
  queryFn: () => dataOf(api.GET('/api/bulk', { params: { query: { limit: 10 } } })),
});

export const bulkQuery = (id: string) =>
  queryOptions({
    queryKey: ['bulk', id],
    queryFn: () => dataOf(api.GET('/api/bulk/{id}', { params: { path: { id } } })),
  });

export const isInProgress = ({ status }: Pick<BulkSummary, 'status'>): boolean =>
  status === 'queued' || status === 'running';

/** The ended operation whose card the user closed in this tab. */
export const closed = keptStore<string>(
  'tenantry.bulk-closed',
  (kept) => (typeof kept === 'string' ? kept : ''),
  (id) => id,
);

/** Operations that were started in this tab, which reports their end on any page. */
const own = new Set<string>();
onForget(() => own.clear());

/** @throws ApiError */
export async function startBulk(
  action: BulkRequest['action'],
  tenants: readonly Pick<Tenant, 'id'>[],
  parameters: BulkRequest['parameters'] = {},
): Promise<void> {
  const body = { action, parameters, tenant_ids: tenants.map(({ id }) => id) };
  took(await dataOf(api.POST('/api/bulk', { body })));
}

/** A new operation for the tenants that failed or were not started. @throws ApiError */
export async function retryBulk(id: string): Promise<void> {
  took(await dataOf(api.POST('/api/bulk/{id}/retry', { params: { path: { id } } })));
}

/** Starts no further tenant. @throws ApiError */
export async function cancelBulk(id: string): Promise<void> {
  show(await dataOf(api.POST('/api/bulk/{id}/cancel', { params: { path: { id } } })));
}

function took(operation: BulkOperation): void {
  own.add(operation.id);
  show(operation);
}

function show(operation: BulkOperation): void {
  queryClient.setQueryData(bulkQuery(operation.id).queryKey, operation);
  void queryClient.invalidateQueries({ queryKey: bulksQuery.queryKey });
  // The stream may already have delivered newer data than this response.
  void queryClient.invalidateQueries({ queryKey: bulkQuery(operation.id).queryKey });
}

/** Applies a message of an operation's own stream. */
export function takeBulkMessage(id: string, message: StreamMessage<'bulk'>): void {
  const { queryKey } = bulkQuery(id);
  if (message.type === 'complete' || !message.result) {
    void queryClient.invalidateQueries({ queryKey });
    return;
  }
  const { result, counts } = message;
  queryClient.setQueryData(queryKey, (known) => known && withResult(known, result, counts));
}

/** A replayed message may be older than the fetched data: an ended result stays ended. */
function withResult(known: BulkOperation, result: BulkResult, counts: BulkSummary['counts']): BulkOperation {
  const before = known.results.find(({ tenant_id }) => tenant_id === result.tenant_id);
  if (!before || before.finished_at !== null || !isInProgress(known)) return known;
  const results = known.results.map((one) => (one === before ? result : one));
  return { ...known, results, counts };
}

/** Applies an event of any operation. */
export function takeBulkEvent(message: Extract<StreamMessage<'events'>, { type: 'bulk' }>): void {
  const { bulk_id: id, status, counts } = message;
  const known = queryClient.getQueryData(bulksQuery.queryKey)?.bulk_operations.find((one) => one.id === id);
  if (known?.status === status)
    queryClient.setQueryData(
      bulksQuery.queryKey,
      (list) =>
        list && {
          ...list,
          bulk_operations: list.bulk_operations.map((one) => (one.id === id ? { ...one, counts } : one)),
        },
    );
  else void queryClient.invalidateQueries({ queryKey: bulksQuery.queryKey });
  if (isInProgress({ status })) return;
  void queryClient.invalidateQueries({ queryKey: bulkQuery(id).queryKey });
  void queryClient.invalidateQueries({ queryKey: tenantsQuery.queryKey });
  if (own.delete(id)) void sayEnded(message);
}

/** Every page takes the events: the texts are no part of the first load. */
async function sayEnded({ action, counts }: Parameters<typeof takeBulkEvent>[0]): Promise<void> {
  const { bulkText } = await import('./messages.ts');
  const title = bulkText.ended[action](counts);
  if (counts.failed === 0) notify(title);
  else toasts.add({ title, type: 'error' });
}
