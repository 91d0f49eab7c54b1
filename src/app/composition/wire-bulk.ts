import { join } from 'node:path';
import type { EventBus } from '../../adapters/events/bus.ts';
import type { Store } from '../../adapters/store/store.ts';
import { isStoreUnavailable } from '../../adapters/store/translate-error.ts';
import { createBulk } from '../../features/services/bulk/bulk.ts';
import { bulkEvent, bulkMessages } from '../../features/services/bulk/messages.ts';
import type { BulkOperationDeps } from '../../features/services/bulk/operation.ts';
import type { BulkServiceDeps } from '../../features/services/bulk/service.ts';
import { createBulkStore } from '../../features/services/bulk/store.ts';
import { OperationEngine } from '../../lib/operations/engine.ts';
import { removeOrphanedStreamFiles } from '../lifecycle/orphaned-stream-files.ts';

interface Parts extends Pick<BulkServiceDeps, 'tenants'>, Omit<BulkOperationDeps, 'rows' | 'busyTimeoutMs'> {
  store: Store;
  events: EventBus;
  dataDirectory: string;
}

/** Bulk operations at a time; further ones wait. Each works on several tenants at once. */
const concurrency = 2;
const stepTimeoutMs = 24 * 3_600_000;
/** Longer than the longest action of one tenant: a cancelled operation waits for those in progress. */
const graceMs = 5 * 60_000;
const busyTimeoutMs = 30_000;

/** Bulk operations, with an engine of their own: each takes the tenants it works on one by one. */
export function wireBulk({ store, events, dataDirectory, ...deps }: Parts) {
  const directory = join(dataDirectory, 'bulk');
  const rows = createBulkStore(store);
  const engine = new OperationEngine({
    journal: rows.journal,
    messages: bulkMessages,
    directory,
    clock: deps.clock,
    logger: deps.logger,
    concurrency: async () => concurrency,
    stepTimeoutMs: async () => stepTimeoutMs,
    graceMs,
    isTransient: isStoreUnavailable,
    onChange: (record) => events.publish(bulkEvent(record)),
  });
  return {
    ...createBulk({ ...deps, rows, engine, busyTimeoutMs }),
    async removeEndedBefore(date: Date): Promise<void> {
      await rows.removeEndedBefore(date);
      await removeOrphanedStreamFiles(directory, rows.recorded);
    },
  };
}
