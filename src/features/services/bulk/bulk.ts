import type { Route } from '../../../lib/http/routing/route.ts';
import type { OperationEngine } from '../../../lib/operations/engine.ts';
import type { BulkDeps } from './bulk-operation.ts';
import { bulkOperation } from './operation.ts';
import { bulkRoutes } from './routes.ts';
import { type BulkService, createBulkService } from './service.ts';
import type { BulkStore } from './store.ts';

export interface Bulk extends Pick<BulkService, 'stream'> {
  routes: Route[];
  engine: OperationEngine;
}

/** Bulk operations: one action on many tenants, run by the manager. */
export function createBulk(rows: BulkStore, deps: BulkDeps): Bulk {
  deps.engine.register(bulkOperation(rows, deps));
  const service = createBulkService(rows, deps);
  return { routes: bulkRoutes(service), engine: deps.engine, stream: service.stream };
}
