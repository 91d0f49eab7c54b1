import { useEffect, useRef } from 'react';
import { takeBulkEvent } from '../features/tenants/bulk/operations.ts';
import type { Tenant } from './client.ts';
import { type StreamMessage, useStream } from './live.ts';
import { attentionQuery, queryClient, tenantsQuery, unhealthyQuery } from './queries.ts';

/** How long events are collected before the page is rendered again. Milliseconds. */
const gatherFor = 150;

/** Keeps the cached tenants and deployments up to date with the manager's events. */
export function useLiveUpdates(): void {
  const waiting = useRef<StreamMessage<'events'>[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useStream(
    { stream: 'events', id: '' },
    (message) => {
      waiting.current.push(message);
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        apply(waiting.current.splice(0));
      }, gatherFor);
    },
    () => void queryClient.invalidateQueries(),
  );
}

const refreshing = new Set<string>();

/** Asks again after a moment, once for all events until then. */
function refreshSoon(queryKey: readonly string[], delayMs: number): void {
  const key = queryKey.join();
  if (refreshing.has(key)) return;
  refreshing.add(key);
  setTimeout(() => {
    refreshing.delete(key);
    void queryClient.invalidateQueries({ queryKey });
  }, delayMs);
}

function apply(news: readonly StreamMessage<'events'>[]): void {
  const changes = new Map<string, Partial<Tenant>>();
  const deleted = new Set<string>();
  for (const message of news) {
    const id = String(message.tenant_id ?? '');
    if (message.type === 'tenant_status') {
      if (message.status === 'deleted') deleted.add(id);
      else changes.set(id, { ...changes.get(id), status: message.status });
    }
    if (message.type === 'tenant_health') {
      const health_status = message.overall_status;
      changes.set(id, { ...changes.get(id), health_status });
      void queryClient.invalidateQueries({ queryKey: ['health', id] });
      // At most one request in its stale time, regardless of how many tenants change.
      void queryClient.refetchQueries({ queryKey: unhealthyQuery.queryKey, type: 'active', stale: true });
    }
    if (message.type === 'synthetic_checks')
      void queryClient.invalidateQueries({ queryKey: ['health', id, 'synthetic'] });
    if (message.type === 'import') void queryClient.invalidateQueries({ queryKey: ['lists', id] });
    if (message.type === 'upgrade') {
      void queryClient.invalidateQueries({ queryKey: ['fleet', message.fleet_id] });
      void queryClient.invalidateQueries({ queryKey: ['fleets'] });
    }
    if (message.type === 'incident') {
      void queryClient.invalidateQueries({ queryKey: ['incidents'] });
      void queryClient.invalidateQueries({ queryKey: ['incident', message.incident_id] });
    }
    if (message.type === 'inbox') refreshSoon(['inbox'], 500);
    if (message.type === 'bulk') takeBulkEvent(message);
    if (message.type === 'deployment') {
      void queryClient.invalidateQueries({ queryKey: ['deployments', id] });
      void queryClient.invalidateQueries({ queryKey: ['backups', id] });
      void queryClient.invalidateQueries({ queryKey: ['deployment', message.deployment_id] });
      if (message.status === 'failed') void queryClient.invalidateQueries({ queryKey: ['version', id] });
      if (message.status === 'success') {
        void queryClient.invalidateQueries({ queryKey: ['version', id] });
        void queryClient.invalidateQueries({ queryKey: tenantsQuery.queryKey });
      }
    }
  }
  refreshSoon(attentionQuery.queryKey, 2_000);
  for (const id of changes.keys()) void queryClient.invalidateQueries({ queryKey: ['tenant', id] });
  const known = queryClient.getQueryData(tenantsQuery.queryKey);
  if (!known || changes.size + deleted.size === 0) return;
  if ([...changes.keys()].some((id) => !known.some((tenant) => tenant.id === id))) {
    void queryClient.invalidateQueries({ queryKey: tenantsQuery.queryKey });
  }
  const { isInvalidated = false, dataUpdatedAt: updatedAt = 0 } =
    queryClient.getQueryState(tenantsQuery.queryKey) ?? {};
  queryClient.setQueryData(
    tenantsQuery.queryKey,
    known.filter(({ id }) => !deleted.has(id)).map((tenant) => ({ ...tenant, ...changes.get(tenant.id) })),
    { updatedAt },
  );
  // `setQueryData` marks the data as fresh; a pending invalidation must survive it.
  if (isInvalidated) void queryClient.invalidateQueries({ queryKey: tenantsQuery.queryKey }, { cancelRefetch: false });
}
